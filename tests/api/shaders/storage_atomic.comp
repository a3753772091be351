#version 450
/* All atomics on texels of R32_UINT: an image of eight texels a row, of which each row takes one kind, and a texel buffer. */
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, r32ui) uniform uimage2D image;
layout(binding = 1, r32ui) uniform uimageBuffer texels;
layout(std430, binding = 2) buffer Out { uint old[64]; } result;

void main()
{
    uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y, data = 3u * x + 1u;
    ivec2 p = ivec2(gl_LocalInvocationID.xy);
    uint old;
    switch (y) {
    case 0: old = imageAtomicAdd(image, p, data); break;
    case 1: old = imageAtomicMin(image, p, data); break;
    case 2: old = imageAtomicMax(image, p, data); break;
    case 3: old = imageAtomicAnd(image, p, data); break;
    case 4: old = imageAtomicOr(image, p, data); break;
    case 5: old = imageAtomicXor(image, p, data); break;
    case 6: old = imageAtomicExchange(image, p, data); break;
    default: old = imageAtomicCompSwap(image, p, 107u, data); break;
    }
    result.old[8u * y + x] = old;
    imageAtomicAdd(texels, int(y), x);
    imageAtomicAdd(texels, 8 + int(y), 1u); /* outside: nothing happens */
    imageAtomicAdd(image, ivec2(8, y), 1u);
}
