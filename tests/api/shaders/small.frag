// SPDX-License-Identifier: MIT
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
/* Inputs and colours of 16 bits. INTEGERS: the colour is two integers. */
layout(location = 0) in f16vec2 v_place;
layout(location = 1) flat in i16vec2 v_numbers;
layout(location = 2) flat in uint16_t v_large;
layout(location = 3) flat in float16_t v_half;
layout(push_constant) uniform Push { float16_t half_; int16_t short_; uint8_t bytes[4]; };

#ifdef INTEGERS
layout(location = 0) out i16vec2 color;
void main()
{
    int16_t column = int16_t(gl_FragCoord.x);
    color.x = v_numbers.x + column * short_;
    color.y = (v_large >> uint16_t(1)) > uint16_t(20000) ? int16_t(bytes[column & int16_t(3)]) : v_numbers.y;
}
#else
layout(location = 0) out f16vec4 color;
void main()
{
    color = f16vec4(v_place, float16_t(v_numbers.y) * half_, v_half);
    if (v_place.x > float16_t(16))
        color.z = float16_t(v_large);
}
#endif
