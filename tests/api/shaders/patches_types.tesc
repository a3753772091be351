// SPDX-License-Identifier: MIT
// Outputs of all types, for each vertex and for the patch, some at variable places. The next invocation's are read.
#version 450
#ifdef MORE
#extension GL_EXT_shader_explicit_arithmetic_types : require
#endif
layout(vertices = OUT) out;
in gl_PerVertex { vec4 gl_Position; float gl_PointSize; float gl_ClipDistance[3]; } gl_in[];
out gl_PerVertex { vec4 gl_Position; float gl_PointSize; float gl_ClipDistance[3]; } gl_out[];
layout(location = 0) in vec4 v_color[];
layout(location = 1, component = 1) in vec2 v_pair[];
layout(location = 2) in dvec2 v_double[];
layout(location = 3) flat in ivec2 v_ids[];

struct Part { dvec2 d; int n[2]; };
layout(location = 0) out vec4 c_color[];
layout(location = 1, component = 1) out float c_y[];
layout(location = 1, component = 2) out vec2 c_zw[];
layout(location = 2) out dvec3 c_double[];
layout(location = 4) out mat2x3 c_matrix[];
layout(location = 6) out Part c_parts[][2];
layout(location = 14) out uvec3 c_bits[];
layout(location = 20) patch out dvec3 p_double[2];
layout(location = 24) patch out vec2 p_pairs[3][2];
layout(location = 30) patch out int p_wrong;
#ifdef MORE
layout(location = 15) out f16vec3 c_half[];
layout(location = 16) out int16_t c_short[];
layout(location = 17) out u64vec3 c_long[];
layout(location = 12) patch out int64_t p_long[2];
layout(location = 31) patch out f16vec2 p_half;
#endif

float f(int vertex, int word)
{
    return float((gl_PrimitiveID * 31 + vertex * 7 + word * 3) % 64);
}

void main()
{
    int i = gl_InvocationID, at = i % gl_PatchVerticesIn, first = v_ids[0].x;
    int wrong = 0;
    if (v_pair[at] != vec2(v_ids[at].x, 0.5 * float(v_ids[at].x)))
        wrong |= 1;
    if (v_double[at].x != double(v_ids[at].x) + 1.0 / 3.0lf || v_double[at].y != -1.0lf / double(v_ids[at].x + 1))
        wrong |= 2;
    for (int k = 0; k < 3; k++) {
        if (gl_in[at].gl_ClipDistance[k] != float(v_ids[at].x + k + 1))
            wrong |= 4;
        gl_out[gl_InvocationID].gl_ClipDistance[k] = gl_in[at].gl_ClipDistance[2 - k];
    }
    gl_out[gl_InvocationID].gl_Position = gl_in[at].gl_Position;
    c_color[gl_InvocationID] = v_color[at];
    c_y[gl_InvocationID] = f(i, 0);
    for (int k = 0; k < 2; k++)
        c_zw[gl_InvocationID][k] = f(i, 1 + k);
    c_double[gl_InvocationID] = dvec3(f(i, 3), f(i, 4), f(i, 5)) / 3.0lf;
    for (int k = 0; k < 6; k++)
        c_matrix[gl_InvocationID][k & 1][k >> 1] = f(i, 6 + k);
    for (int k = 0; k < 2; k++) {
        c_parts[gl_InvocationID][k].d = dvec2(f(i, 12 + k), f(i, 14 + k)) / 7.0lf;
        c_parts[gl_InvocationID][k].n[k] = int(f(i, 16 + k));
        c_parts[gl_InvocationID][1 - k].n[k] = -int(f(i, 18 + k));
    }
    c_bits[gl_InvocationID] = uvec3(0xffffffffu, 0x7fc00000u + uint(i), 0x80000000u);
    if (i < 2)
        p_double[i] = dvec3(f(i, 20), f(i, 21), f(i, 22)) / 9.0lf;
    for (int k = i; k < 6; k += OUT)
        p_pairs[k >> 1][k & 1] = vec2(f(k, 23), f(k, 24));
#ifdef MORE
    c_half[gl_InvocationID] = f16vec3(f(i, 25), -0.5 * f(i, 26), 1.0 / 1024.0);
    c_short[gl_InvocationID] = int16_t(-100 * int(f(i, 27)) - 1);
    c_long[gl_InvocationID] = u64vec3(0x8000000100000000ul + uint64_t(f(i, 28)), 7ul << 40, uint64_t(i));
    if (i < 2)
        p_long[i] = -int64_t(f(i, 29)) * 0x100000001l;
    if (i == OUT - 1)
        p_half = f16vec2(f(i, 30), 0.25);
#endif
    barrier();
    int next = (i + 1) % OUT;
    if (c_double[next].y != double(f(next, 4)) / 3.0lf || c_matrix[next][1][i % 3] != f(next, 7 + 2 * (i % 3)))
        wrong |= 8;
    if (c_parts[next][i & 1].n[i & 1] != int(f(next, 16 + (i & 1))) || c_zw[next][i & 1] != f(next, 1 + (i & 1)))
        wrong |= 16;
    if (p_double[OUT > 1 ? i & 1 : 0].z != double(f(OUT > 1 ? i & 1 : 0, 22)) / 9.0lf)
        wrong |= 32;
    if (i == 0)
        p_wrong = 0;
    barrier();
    if (wrong != 0)
        p_wrong = wrong;
    if (i == 0) {
        gl_TessLevelOuter = float[](2.0, 1.0, 3.0, 2.0);
        gl_TessLevelInner = float[](3.0, 2.0);
    }
}
