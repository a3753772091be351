#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
layout(local_size_x = 16) in;
layout(buffer_reference) buffer Node;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Node { Node next; uint value; mat2 m; Node all[2]; };
layout(push_constant) uniform Push { Node head; uvec2 other; };
layout(set = 0, binding = 5, std430) buffer W { uint w[64]; };
void main()
{
    Node n = head;
    for (uint k = 0; k < gl_LocalInvocationIndex && uvec2(n) != uvec2(0); k++)
        n = n.next;
    Node chosen = (gl_LocalInvocationIndex & 1) == 0 ? n : Node(other);
    chosen.all[gl_LocalInvocationIndex >> 3] = chosen.next;
    w[gl_LocalInvocationIndex] = atomicAdd(chosen.value, uint(n.m[1][gl_LocalInvocationIndex & 1]));
}
