// SPDX-License-Identifier: MIT
// A small square for each vertex of the primitive, adjacent ones included. Its place and its colour say which vertex of
// which primitive it is for.
#version 450
layout(IN) in;
layout(triangle_strip, max_vertices = 4 * COUNT) out;
layout(location = 0) in vec4 v_color[];
layout(location = 3) flat in ivec2 v_ids[];
layout(location = 0) out vec4 g_color;
layout(location = 1) flat out uint g_bits;
void main()
{
    for (int k = 0; k < COUNT; k++) {
        vec2 at = gl_in[k].gl_Position.xy + 0.05 * vec2(float(k % 3), float(k / 3)) +
                  0.01 * float(gl_PrimitiveIDIn);
        for (int corner = 0; corner < 4; corner++) {
            gl_Position = vec4(at + 0.045 * vec2(float(corner & 1), float(corner >> 1)), 0.5, 1.0);
            g_color = v_color[k];
            g_bits = uint(v_ids[k].x * 8 + k) + uint(gl_PrimitiveIDIn * 37 + v_ids[k].y * 11);
            EmitVertex();
        }
        EndPrimitive();
    }
}
