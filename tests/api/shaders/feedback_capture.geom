// SPDX-License-Identifier: MIT
// Two strips for each triangle, one of them with a triangle more than the other.
#version 450
layout(triangles) in;
layout(triangle_strip, max_vertices = 8) out;
in gl_PerVertex
{
    vec4 gl_Position;
    float gl_PointSize;
} gl_in[];
layout(location = 0) in vec4 v_color[];
layout(xfb_buffer = 0, xfb_stride = 20, xfb_offset = 0, location = 0) out vec4 g_color;
layout(xfb_buffer = 0, xfb_offset = 16, location = 1) flat out uint g_bits;
void emit_at(int i, uint bits)
{
    gl_Position = gl_in[i % 3].gl_Position;
    g_color = v_color[i % 3];
    g_bits = bits + uint(100 * gl_PrimitiveIDIn);
    EmitVertex();
}
void main()
{
    for (int i = 0; i < 3; i++)
        emit_at(i, uint(i));
    EndPrimitive();
    for (int i = 0; i < 4; i++)
        emit_at(i + 1, uint(10 + i));
}
