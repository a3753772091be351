// SPDX-License-Identifier: MIT
// Each view has its triangles elsewhere, and the last one has more of them.
#version 450
#extension GL_EXT_multiview : require
layout(triangles) in;
layout(triangle_strip, max_vertices = 6) out;
layout(location = 0) in vec4 v_color[];
layout(location = 0) out vec4 g_color;
layout(location = 1) flat out uint g_bits;
void main()
{
    for (int copy = 0; copy < (gl_ViewIndex == 2 ? 2 : 1); copy++) {
        for (int i = 0; i < 3; i++) {
            gl_Position = gl_in[i].gl_Position + vec4(0.1 * float(gl_ViewIndex), 0.3 * float(copy), 0.0, 0.0);
            g_color = v_color[i];
            g_bits = uint(10 * gl_ViewIndex + gl_PrimitiveIDIn);
            EmitVertex();
        }
        EndPrimitive();
    }
}
