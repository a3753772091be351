// SPDX-License-Identifier: MIT
// Green where all inputs are right.
#version 450
#ifdef MORE
#extension GL_EXT_shader_explicit_arithmetic_types : require
#endif
layout(quads, equal_spacing, ccw) in;
in gl_PerVertex { vec4 gl_Position; float gl_PointSize; float gl_ClipDistance[3]; } gl_in[];
out gl_PerVertex { vec4 gl_Position; float gl_PointSize; };
struct Part { dvec2 d; int n[2]; };
layout(location = 0) in vec4 c_color[];
layout(location = 1, component = 1) in float c_y[];
layout(location = 1, component = 2) in vec2 c_zw[];
layout(location = 2) in dvec3 c_double[];
layout(location = 4) in mat2x3 c_matrix[];
layout(location = 6) in Part c_parts[][2];
layout(location = 14) in uvec3 c_bits[];
layout(location = 20) patch in dvec3 p_double[2];
layout(location = 24) patch in vec2 p_pairs[3][2];
layout(location = 30) patch in int p_wrong;
#ifdef MORE
layout(location = 15) in f16vec3 c_half[];
layout(location = 16) in int16_t c_short[];
layout(location = 17) in u64vec3 c_long[];
layout(location = 12) patch in int64_t p_long[2];
layout(location = 31) patch in f16vec2 p_half;
#endif
layout(location = 0) out vec4 g_color;
layout(location = 1) flat out uint g_bits;

float f(int vertex, int word)
{
    return float((gl_PrimitiveID * 31 + vertex * 7 + word * 3) % 64);
}

void main()
{
    uint wrong = uint(p_wrong);
    for (int i = 0; i < gl_PatchVerticesIn; i++) {
        for (int k = 0; k < 2; k++) {
            if (c_zw[i][k] != f(i, 1 + k) || c_parts[i][k].n[k] != int(f(i, 16 + k)) ||
                c_parts[i][1 - k].n[k] != -int(f(i, 18 + k)))
                wrong |= 64u;
            if (c_parts[i][k].d != dvec2(f(i, 12 + k), f(i, 14 + k)) / 7.0lf)
                wrong |= 128u;
        }
        if (c_y[i] != f(i, 0) || c_double[i] != dvec3(f(i, 3), f(i, 4), f(i, 5)) / 3.0lf)
            wrong |= 256u;
        for (int k = 0; k < 6; k++)
            if (c_matrix[i][k & 1][k >> 1] != f(i, 6 + k))
                wrong |= 512u;
        for (int k = 0; k < 3; k++)
            if (gl_in[i].gl_ClipDistance[k] - gl_in[i].gl_ClipDistance[(k + 1) % 3] != (k == 2 ? -2.0 : 1.0))
                wrong |= 1024u;
        if (c_bits[i] != uvec3(0xffffffffu, 0x7fc00000u + uint(i), 0x80000000u))
            wrong |= 2048u;
#ifdef MORE
        if (c_half[i] != f16vec3(f(i, 25), -0.5 * f(i, 26), 1.0 / 1024.0) || c_short[i] != int16_t(-100 * int(f(i, 27)) - 1))
            wrong |= 8192u;
        if (c_long[i] != u64vec3(0x8000000100000000ul + uint64_t(f(i, 28)), 7ul << 40, uint64_t(i)))
            wrong |= 16384u;
#endif
    }
    for (int i = 0; i < min(2, gl_PatchVerticesIn); i++) {
        if (p_double[i] != dvec3(f(i, 20), f(i, 21), f(i, 22)) / 9.0lf)
            wrong |= 4096u;
#ifdef MORE
        if (p_long[i] != -int64_t(f(i, 29)) * 0x100000001l)
            wrong |= 32768u;
#endif
    }
#ifdef MORE
    if (p_half != f16vec2(f(gl_PatchVerticesIn - 1, 30), 0.25))
        wrong |= 131072u;
#endif
    for (int k = 0; k < 6; k++)
        if (p_pairs[k >> 1][k & 1] != vec2(f(k, 23), f(k, 24)))
            wrong |= 65536u;
    vec2 low = vec2(1e9), high = vec2(-1e9);
    for (int i = 0; i < gl_PatchVerticesIn; i++) {
        low = min(low, gl_in[i].gl_Position.xy);
        high = max(high, gl_in[i].gl_Position.xy);
    }
    if (gl_PatchVerticesIn == 1)
        high = low + vec2(0.15, 0.3);
    gl_Position = vec4(mix(low, high, gl_TessCoord.xy), 0.5, 1.0);
    gl_PointSize = 1.0;
    g_color = wrong == 0u ? vec4(0.0, 1.0, 0.0, 1.0) : vec4(1.0, float(findLSB(wrong)) / 32.0, 0.0, 1.0);
    g_bits = wrong & 255u;
}
