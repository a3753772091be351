// SPDX-License-Identifier: MIT
// Two invocations, each of which emits the triangle and a strip of two.
#version 450
layout(triangles, invocations = 2) in;
layout(triangle_strip, max_vertices = 7) out;
void emit_at(int i)
{
    gl_Position = gl_in[i % 3].gl_Position;
    EmitVertex();
}
void main()
{
    for (int i = 0; i < 3; i++)
        emit_at(i);
    EndPrimitive();
    for (int i = 0; i < 4; i++)
        emit_at(i);
}
