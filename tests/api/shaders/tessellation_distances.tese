// SPDX-License-Identifier: MIT
// Distances.
#version 450
layout(quads, equal_spacing, cw) in;
layout(location = 0) in vec4 c_color[];
layout(location = 5) patch in vec4 p_tint;
out gl_PerVertex { vec4 gl_Position; float gl_PointSize; float gl_ClipDistance[2]; float gl_CullDistance[1]; };
layout(location = 0) out vec4 g_color;
layout(location = 1) flat out uint g_bits;
void main()
{
    vec2 at = gl_TessCoord.xy;
    gl_Position = mix(mix(gl_in[0].gl_Position, gl_in[1].gl_Position, at.x),
                      mix(gl_in[2].gl_Position, gl_in[3].gl_Position, at.x), at.y);
    gl_PointSize = 1.0;
    gl_ClipDistance[0] = at.x - 0.1;
    gl_ClipDistance[1] = 0.85 - at.y;
    gl_CullDistance[0] = at.x - 0.7;
    g_color = mix(c_color[0], c_color[3], at.x);
    g_bits = uint(gl_PrimitiveID);
}
