// SPDX-License-Identifier: MIT
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
layout(location = 0) flat in f16vec2 v_halves;
layout(location = 0) out f16vec2 color;

void main()
{
    color = v_halves;
}
