// SPDX-License-Identifier: MIT
// A flat patch with linear colours: vertices 0, 1, 2 are the corners of a triangle, 0 to 3 those of a quad, (0, 0), (1, 0), (0, 1), (1, 1).
#version 450
layout(MODES) in;
layout(location = 0) in vec4 c_color[];
layout(location = 5) patch in vec4 p_tint;
layout(location = 0) out vec4 g_color;
layout(location = 1) flat out uint g_bits;
vec4 mixed(vec4 a, vec4 b, vec4 c, vec4 d)
{
    vec3 at = gl_TessCoord;
#ifdef TRIANGLES
    return a * at.z + b * at.x + c * at.y;
#else
    return mix(mix(a, b, at.x), mix(c, d, at.x), at.y);
#endif
}
void main()
{
    int last = gl_PatchVerticesIn - 1;
    gl_Position = mixed(gl_in[0].gl_Position, gl_in[1].gl_Position, gl_in[2].gl_Position, gl_in[last].gl_Position);
#ifdef BULGE
    gl_Position.x += BULGE * sin(gl_TessCoord.y * 3.14159265) * sin(gl_TessCoord.x * 3.14159265);
#endif
    gl_PointSize = gl_in[0].gl_PointSize;
    vec4 color = mixed(c_color[0], c_color[1], c_color[2], c_color[1] + c_color[2] - c_color[0]); // linear
    g_color = 0.25 + 0.3 * color + p_tint;
    g_bits = uint(gl_PrimitiveID * 37) + uint(gl_TessLevelOuter[1] * 5.0) + uint(gl_TessLevelInner[0]);
}
