// SPDX-License-Identifier: MIT
// The outline of each triangle as a line strip, smaller with each invocation. One in three triangles has none, and the
// lanes leave the shader at different places.
#version 450
layout(triangles, invocations = 3) in;
layout(line_strip, max_vertices = 6) out;
layout(location = 0) in vec4 v_color[];
layout(location = 0) out vec4 g_color;
layout(location = 1) flat out uint g_bits;
vec4 corner(int i)
{
    vec4 centre = (gl_in[0].gl_Position + gl_in[1].gl_Position + gl_in[2].gl_Position) / 3.0;
    return mix(gl_in[i].gl_Position, centre, 0.2 * float(gl_InvocationID));
}
void emit_at(int i)
{
    gl_Position = corner(i);
    g_color = v_color[i];
    g_bits = uint(60 * gl_InvocationID + 5 * gl_PrimitiveIDIn);
    EmitVertex();
}
void main()
{
    if (gl_PrimitiveIDIn % 3 == 1)
        return;
    for (int i = 0; i < 4; i++) {
        if (gl_PrimitiveIDIn % 2 == 1 && i == 3)
            return;
        emit_at(i % 3);
        if (gl_InvocationID == 2 && i == 1) {
            EndPrimitive();
            emit_at(1);
        }
    }
}
