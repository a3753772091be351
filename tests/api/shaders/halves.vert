// SPDX-License-Identifier: MIT
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
/* A point for each vertex, row by row. Its halves only pass through. */
layout(location = 0) in f16vec2 halves;
layout(location = 0) flat out f16vec2 v_halves;
layout(constant_id = 0) const float WIDTH = 256;
layout(constant_id = 1) const float HEIGHT = 128;

void main()
{
    float y = floor((float(gl_VertexIndex) + 0.5) / WIDTH), x = float(gl_VertexIndex) - y * WIDTH;
    gl_Position = vec4((x + 0.5) / WIDTH * 2 - 1, (y + 0.5) / HEIGHT * 2 - 1, 0.5, 1);
    gl_PointSize = 1;
    v_halves = halves;
}
