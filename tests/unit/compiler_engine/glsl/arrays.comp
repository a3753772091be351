#version 450
// Arrays that are too large for registers, with indices that are known only at run time.
layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer Out { uint result[]; };
layout(std430, binding = 1) readonly buffer In { uint values[]; };

struct item {
    uint key;
    bool odd;
    vec2 pair;
};
uint heap[200];
item items[40];
uint filled[70] = uint[70](1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
                           1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
                           1, 2, 3, 4, 5, 6, 7, 8, 9, 10);

uint walk(inout uint chain[200], uint at, uint steps)
{
    for (uint k = 0; k < steps; k++) {
        uint next = chain[at] % 200;
        chain[at] += k;
        at = next;
    }
    return at;
}

void main()
{
    uint i = gl_GlobalInvocationID.x, sum = 0;
    uint own[100];
    for (uint k = 0; k < 200; k++)
        heap[k] = values[k] * (i + 1);
    uint last = walk(heap, i, 20 + i);
    if ((i & 1) != 0) { // only these lanes store
        for (uint k = 0; k < 50; k++)
            heap[(k * i) % 200] ^= k;
    }
    for (uint k = 0; k < 100; k++)
        own[k] = heap[199 - k];
    for (uint k = 0; k < i; k++)
        own[(k * 7) % 100] += own[(k * 3) % 100];
    for (uint k = 0; k < 40; k++)
        items[k] = item(k * i, (values[k] & 1) != 0, vec2(k, i));
    items[i].pair.y += 0.5;
    items[(i + 1) % 40].odd = !items[i].odd;
    for (uint k = 0; k < 40; k++)
        sum += items[k].odd ? items[k].key : uint(2 * items[k].pair.y);
    filled[i] = 100;
    for (uint k = 0; k < 70; k++)
        sum = sum * 3 + filled[k];
    for (uint k = 0; k < 100; k++)
        sum = sum * 5 + own[k];
    result[i] = sum * 200 + last;
}
