// SPDX-License-Identifier: MIT
// With the built-ins, as many components as geometry shaders may have.
#version 450
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
layout(location = 0) in vec4 v_color[];
out gl_PerVertex
{
    vec4 gl_Position;
};
layout(location = 0) out vec4 g_first;
layout(location = 1) flat out uvec4 g_bits[14];
layout(location = 15) out vec4 g_values[16];
void main()
{
    for (int i = 0; i < 3; i++) {
        gl_Position = gl_in[i].gl_Position;
        g_first = v_color[i];
        for (int k = 0; k < 14; k++)
            g_bits[k] = uvec4(0x80000001u, 0x7fc00000u + uint(k), uint(gl_PrimitiveIDIn), uint(k * 4 + 3));
        for (int k = 0; k < 16; k++)
            g_values[k] = v_color[i] * float(k + 1) + vec4(0.0, 1.0, 2.0, 3.0);
        EmitVertex();
    }
}
