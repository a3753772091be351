// SPDX-License-Identifier: MIT
#version 450
layout(triangles) in;
layout(points, max_vertices = 3) out;
layout(location = 0) in vec4 v_color[];
layout(location = 0) out vec4 g_color;
layout(location = 1) flat out uint g_bits;
void main()
{
    for (int i = 0; i < gl_in.length(); i++) {
        gl_Position = gl_in[i].gl_Position;
        gl_PointSize = 2.0 + 4.0 * float(i);
        g_color = v_color[i];
        g_bits = uint(gl_PrimitiveIDIn * 40 + i);
        EmitVertex();
    }
}
