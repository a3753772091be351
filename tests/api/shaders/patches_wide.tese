// SPDX-License-Identifier: MIT
// With the position, as many components as evaluation shaders may have.
#version 450
layout(quads, equal_spacing, ccw) in;
layout(location = 0) in vec4 c_color[];
out gl_PerVertex
{
    vec4 gl_Position;
};
layout(location = 0) out vec4 g_first;
layout(location = 1) flat out uvec4 g_bits[14];
layout(location = 15) out vec4 g_values[16];
void main()
{
    gl_Position = mix(mix(gl_in[0].gl_Position, gl_in[1].gl_Position, gl_TessCoord.x),
                      mix(gl_in[2].gl_Position, gl_in[3].gl_Position, gl_TessCoord.x), gl_TessCoord.y);
    g_first = mix(c_color[0], c_color[3], gl_TessCoord.x);
    for (int k = 0; k < 14; k++)
        g_bits[k] = uvec4(0x80000001u, 0x7fc00000u + uint(k), uint(gl_PrimitiveID), uint(k * 4 + 3));
    for (int k = 0; k < 16; k++)
        g_values[k] = g_first * float(k + 1) + vec4(0.0, 1.0, 2.0, 3.0);
}
