// SPDX-License-Identifier: MIT
// Passes distances on, the clip distances in the other order.
#version 450
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
in gl_PerVertex
{
    vec4 gl_Position;
    float gl_ClipDistance[2];
    float gl_CullDistance[1];
} gl_in[];
out gl_PerVertex
{
    vec4 gl_Position;
    float gl_ClipDistance[2];
    float gl_CullDistance[1];
};
layout(location = 0) in vec4 v_color[];
layout(location = 0) out vec4 g_color;
layout(location = 1) flat out uint g_bits;
void main()
{
    for (int i = 0; i < 3; i++) {
        gl_Position = gl_in[i].gl_Position;
        gl_ClipDistance[0] = gl_in[i].gl_ClipDistance[1];
        gl_ClipDistance[1] = gl_in[i].gl_ClipDistance[0];
        gl_CullDistance[0] = gl_in[i].gl_CullDistance[0];
        g_color = v_color[i];
        g_bits = 7u;
        EmitVertex();
    }
}
