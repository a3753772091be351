// SPDX-License-Identifier: MIT
// Green where the values that were stored and the initial ones are there.
#version 450
layout(quads, equal_spacing, ccw) in;
layout(location = 0) in float c_value[];
layout(location = 1) patch in vec4 p_range;
layout(location = 0) out vec4 g_color;
layout(location = 1) flat out uint g_bits;
void main()
{
    uint wrong = 0u;
    for (int i = 0; i < gl_PatchVerticesIn; i++) {
        if (c_value[i] != (i < 10 ? 0.5 : 0.25))
            wrong |= i < 10 ? 1u : 2u;
        if (gl_in[i].gl_Position.x != ((i & 1) == 0 ? p_range.x : p_range.y))
            wrong |= 4u;
    }
    if (gl_PatchVerticesIn != 20)
        wrong |= 8u;
    gl_Position = vec4(mix(p_range.xz, p_range.yw, gl_TessCoord.xy), 0.5, 1.0);
    g_color = wrong == 0u ? vec4(0.0, 1.0, 0.0, 1.0) : vec4(1.0, float(findLSB(wrong)) / 32.0, 0.0, 1.0);
    g_bits = wrong;
}
