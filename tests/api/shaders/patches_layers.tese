// SPDX-License-Identifier: MIT
// Each patch goes to a viewport and to a layer of its own.
#version 450
#extension GL_ARB_shader_viewport_layer_array : require
layout(quads, equal_spacing, ccw) in;
layout(location = 0) in vec4 c_color[];
layout(location = 5) patch in vec4 p_tint;
layout(location = 0) out vec4 g_color;
layout(location = 1) flat out uint g_bits;
void main()
{
    gl_Position = mix(mix(gl_in[0].gl_Position, gl_in[1].gl_Position, gl_TessCoord.x),
                      mix(gl_in[2].gl_Position, gl_in[3].gl_Position, gl_TessCoord.x), gl_TessCoord.y);
    gl_Layer = gl_PrimitiveID % 3;
    gl_ViewportIndex = gl_PrimitiveID % 4;
    g_color = c_color[0] * 0.5 + p_tint;
    g_bits = uint(gl_PrimitiveID * 9);
}
