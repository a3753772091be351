#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
// Follows a list from the address in the push constants: results.w[i] is the sum of its first i + 1 values, and
// results.w[16 + i] the value of the node at which it ends. Each node is visited by all invocations.
layout(local_size_x = 16) in;

layout(buffer_reference) buffer Node;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Node { Node next; uint value, visits; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint w[]; };

layout(push_constant) uniform Push { Node head; Words results; };

void main()
{
    uint i = gl_LocalInvocationIndex, sum = 0;
    Node n = head;
    for (uint k = 0;; k++) {
        sum += k <= i ? n.value : 0;
        atomicAdd(n.visits, 1);
        if (uvec2(n.next) == uvec2(0))
            break;
        n = n.next;
    }
    results.w[i] = sum;
    results.w[16 + i] = n.value;
}
