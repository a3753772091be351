#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
// 64-bit addresses: a list of nodes, of a type that contains pointers to itself; pointers in push constants, buffers,
// arrays and structs; pointers selected and compared; matrices, small steps, atomics, and an address that is nowhere.
layout(local_size_x = 16) in;

layout(buffer_reference) buffer Node;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Node {
    uint value;
    Node next;
    vec3 colour;
    layout(row_major) mat3 m;
    Node jumps[2];
};
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint w[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Counter { uint n; };

layout(push_constant) uniform Push {
    Node head;
    Words words;
    uvec2 counter;
    uvec2 nowhere;
};

layout(set = 0, binding = 0) buffer Results { uint r[]; };

struct Pair {
    Node first, second;
};

void main()
{
    uint i = gl_LocalInvocationIndex;

    Node n = head; // row 0: the value of the node after i steps, or 0 behind the end
    for (uint k = 0; k < i && uvec2(n) != uvec2(0); k++)
        n = n.next;
    r[i] = uvec2(n) == uvec2(0) ? 0 : n.value;

    Pair pair = Pair(head, head.next); // row 1: the first or the second node's jump, written back
    Node one = (i & 1) == 1 ? pair.first : pair.second;
    Node jumped = one.jumps[(i >> 1) & 1];
    r[16 + i] = jumped.value + uint(jumped.colour.y);

    vec3 column = head.m[i % 3]; // row 2: element i mod 3 of column i mod 3
    r[32 + i] = uint(column[i % 3]);

    words.w[i] = 1000 + i; // row 3: what was stored
    memoryBarrierBuffer();
    r[48 + i] = words.w[i];

    r[64 + i] = atomicAdd(Counter(counter).n, 2); // row 4

    Words w = Words(nowhere); // row 5: zero, and the stores are dropped
    w.w[i] = 7;
    Words low = Words(uvec2(nowhere.x, 0));
    low.w[i] = 7;
    r[80 + i] = w.w[i] + low.w[i] + 5;

    if (i == 0) // the list gets shorter
        head.next = head.next.next;
}
