// SPDX-License-Identifier: MIT
// Levels and places differ from view to view.
#version 450
#extension GL_EXT_multiview : require
layout(vertices = 4) out;
layout(location = 0) in vec4 v_color[];
layout(location = 0) out vec4 c_color[];
void main()
{
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position + vec4(0.04 * float(gl_ViewIndex), 0.0, 0.0, 0.0);
    c_color[gl_InvocationID] = v_color[0] * (gl_ViewIndex == 1 ? 0.5 : 1.0);
    float level = gl_ViewIndex == 1 && gl_PrimitiveID % 3 == 0 ? 0.0 : 2.0;
    gl_TessLevelOuter = float[](level, level, level, level);
    gl_TessLevelInner = float[](2.0, 2.0);
}
