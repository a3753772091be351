// SPDX-License-Identifier: MIT
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
/* A triangle from attributes of 16 bits, with outputs of 16 bits. */
layout(location = 0) in f16vec4 position;
layout(location = 1) in i16vec2 numbers;
layout(location = 2) in uint16_t large;
layout(location = 0) out f16vec2 v_place;
layout(location = 1) flat out i16vec2 v_numbers;
layout(location = 2) flat out uint16_t v_large;
layout(location = 3) flat out float16_t v_half;
layout(push_constant) uniform Push { float16_t half_; int16_t short_; uint8_t bytes[4]; };

void main()
{
    gl_Position = vec4(position);
    v_place = (position.xy + float16_t(1)) * float16_t(16);
    v_numbers = numbers * int16_t(2);
    v_large = large + uint16_t(7);
    v_half = half_ * half_;
}
