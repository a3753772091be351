// SPDX-License-Identifier: MIT
// The outline of each triangle of the tessellator, a little smaller.
#version 450
layout(triangles) in;
layout(line_strip, max_vertices = 4) out;
layout(location = 0) in vec4 g_color[];
layout(location = 1) flat in uint g_bits[];
layout(location = 0) out vec4 o_color;
layout(location = 1) flat out uint o_bits;
void main()
{
    vec4 middle = (gl_in[0].gl_Position + gl_in[1].gl_Position + gl_in[2].gl_Position) / 3.0;
    for (int i = 0; i < 4; i++) {
        gl_Position = mix(gl_in[i % 3].gl_Position, middle, 0.2);
        o_color = g_color[i % 3];
        o_bits = g_bits[0];
        EmitVertex();
    }
}
