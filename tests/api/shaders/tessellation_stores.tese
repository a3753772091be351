// SPDX-License-Identifier: MIT
#version 450
layout(triangles, equal_spacing) in;
layout(set = 0, binding = 0) buffer Counts { uint vertices, controls, evaluations, bits; uint by_patch[]; };
layout(location = 0) in vec4 c_color[];
layout(location = 0) out vec4 g_color;
layout(location = 1) flat out uint g_bits;
void main()
{
    atomicAdd(evaluations, 1u);
    atomicOr(bits, 1u << uint(gl_TessCoord.x * 3.0 + 0.5) | 16u << uint(gl_TessCoord.y * 3.0 + 0.5));
    gl_Position = gl_in[0].gl_Position * gl_TessCoord.z + gl_in[1].gl_Position * gl_TessCoord.x +
                  gl_in[2].gl_Position * gl_TessCoord.y;
    g_color = c_color[0];
    g_bits = 0u;
}
