// SPDX-License-Identifier: MIT
// Counts its invocations, each in a word of its own and all of them in one.
#version 450
layout(triangles, invocations = 2) in;
layout(triangle_strip, max_vertices = 3) out;
layout(set = 0, binding = 0) buffer Counts { uint all; uint each[]; };
layout(location = 0) in vec4 v_color[];
layout(location = 0) out vec4 g_color;
layout(location = 1) flat out uint g_bits;
void main()
{
    uint number = atomicAdd(all, 1u);
    each[2 * gl_PrimitiveIDIn + gl_InvocationID] += 1u + (number < 1000u ? 0u : 100u);
    for (int i = 0; i < 3; i++) {
        gl_Position = gl_in[i].gl_Position;
        g_color = v_color[i];
        g_bits = 255u;
        EmitVertex();
    }
}
