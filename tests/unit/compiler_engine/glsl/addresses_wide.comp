#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
// Addresses as 64-bit numbers, and narrow numbers behind them, as programs for quantised matrices have them. One workgroup of
// 16, i is the invocation.
layout(local_size_x = 16) in;

struct Block { uint16_t scale; uint8_t q[6]; };
layout(buffer_reference, std430, buffer_reference_align = 2) buffer One { Block b; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Word { uint w; };

layout(push_constant) uniform Push { uint64_t blocks, words; };
layout(set = 0, binding = 0, std430) buffer Results { uint results[]; };

uint64_t at(uint64_t base, uint words_B, uint high)
{
    uvec2 words = unpack32(base);
    uint carry;
    words.x = uaddCarry(words.x, words_B, carry);
    return pack64(words + uvec2(0, carry + high));
}

void main()
{
    uint i = gl_LocalInvocationIndex, sum = 0;
    One one = One(at(blocks, 8 * i, 0));
    for (uint k = 0; k < 6; k++)
        sum += uint(one.b.q[k]);
    Word(at(words, 4 * i, 0)).w = sum * uint(one.b.scale); // dequantised
    results[i] = uint(One(at(blocks, 8 * (15 - i), 0)).b.q[i % 6]);
    results[16 + i] = (unpack32(uint64_t(one)).x - unpack32(blocks).x) / 8;
    results[32 + i] = uint(One(at(blocks, 0, i)).b.scale); // 4 GiB further on there is nothing
    if ((i & 1) == 1)
        one.b.q[5] = uint8_t(200 + i);
}
