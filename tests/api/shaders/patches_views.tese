// SPDX-License-Identifier: MIT
#version 450
#extension GL_EXT_multiview : require
layout(quads, equal_spacing, ccw) in;
layout(location = 0) in vec4 c_color[];
layout(location = 0) out vec4 g_color;
layout(location = 1) flat out uint g_bits;
void main()
{
    gl_Position = mix(mix(gl_in[0].gl_Position, gl_in[1].gl_Position, gl_TessCoord.x),
                      mix(gl_in[2].gl_Position, gl_in[3].gl_Position, gl_TessCoord.x), gl_TessCoord.y);
    gl_Position.y += 0.1 * float(gl_ViewIndex);
    g_color = c_color[0];
    g_bits = uint(70 * gl_ViewIndex + gl_PrimitiveID);
}
