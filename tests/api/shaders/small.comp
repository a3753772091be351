// SPDX-License-Identifier: MIT
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
/* Numbers of 8 and 16 bits in every storage class that a compute program has. */
layout(local_size_x = 32) in;
layout(constant_id = 0) const float16_t factor = float16_t(1);
layout(constant_id = 1) const int16_t more = int16_t(1);
layout(constant_id = 2) const uint8_t byte_ = uint8_t(1);
layout(std430, binding = 0) readonly buffer In { float16_t h[32]; int16_t s[32]; uint8_t b[32]; };
layout(std430, binding = 1) writeonly buffer Out { f16vec2 halves[32]; i16vec2 shorts[32]; u8vec4 bytes[32]; };
layout(std140, binding = 2) uniform Matrix { f16vec4 rows[2]; u8vec4 table; };
layout(push_constant) uniform Push { int16_t before; uint8_t small[2]; f16vec2 scale; };
shared float16_t together[32];
shared u8vec2 pairs[32];
int8_t kept[3];

void main()
{
    uint i = gl_LocalInvocationID.x;
    together[i] = h[i] * factor;
    pairs[i] = u8vec2(b[i] + byte_, b[i] * byte_);
    barrier();
    float16_t other = together[31u - i];
    halves[i] = f16vec2(h[i] + other, dot(rows[i & 1u], f16vec4(other, 1, 0, 0))) * scale;
    shorts[i] = i16vec2(s[i] + before, (s[i] >> 3) * more);
    kept[i % 3u] = int8_t(pairs[31u - i].x);
    kept[(i + 1u) % 3u] = int8_t(s[i]);
    bytes[i] = u8vec4(pairs[31u - i].y, uint8_t(kept[i % 3u] >> 1), uint8_t(kept[(i + 1u) % 3u]) / small[i & 1u], table[i & 3u]);
}
