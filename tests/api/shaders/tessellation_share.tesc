// SPDX-License-Identifier: MIT
// Invocations read what others have written: vertices, and words of the patch.
#version 450
layout(vertices = OUT) out;
layout(location = 0) in vec4 v_color[];
struct Inner { float a[2]; vec3 b; };
layout(location = 0) out vec4 c_color[];
layout(location = 1) out Vertex { Inner inner[2]; mat2 m; } c_vertex[];
layout(location = 9) patch out vec4 p_parts[OUT > 8 ? 8 : OUT];
layout(location = 20) patch out Whole { vec3 sum; float rest[3]; } p_whole;
void main()
{
    int i = gl_InvocationID, next = (i + 1) % OUT, at = i % gl_PatchVerticesIn;
    gl_out[gl_InvocationID].gl_Position = gl_in[at].gl_Position;
    for (int k = 0; k < 2; k++) {
        c_vertex[gl_InvocationID].inner[k].a[1 - k] = float(i + k) / float(OUT);
        c_vertex[gl_InvocationID].inner[k].a[k] = 0.25;
        c_vertex[gl_InvocationID].inner[k].b = v_color[at].rgb * float(1 + k);
    }
    c_vertex[gl_InvocationID].m = mat2(1.0, float(i), 2.0, 3.0);
    if (i < p_parts.length())
        p_parts[i] = v_color[at];
    barrier();
    vec4 color = v_color[at] * 0.25;
    color.r += c_vertex[next].inner[i & 1].a[(i >> 1) & 1] * 0.25;
    color.g += c_vertex[(i + 5) % OUT].inner[1].b.g * 0.25;
    color.b += p_parts[(i + 2) % p_parts.length()].b * 0.25 + c_vertex[next].m[0][1] / 128.0;
    c_color[gl_InvocationID] = color;
    barrier();
    if (i == OUT / 2) {
        vec3 sum = vec3(0.0);
        for (int k = 0; k < OUT; k++)
            sum += c_color[k].rgb;
        p_whole.sum = sum / float(OUT);
        for (int k = 0; k < 3; k++)
            p_whole.rest[k] = gl_out[(k * 7) % OUT].gl_Position.x;
        gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = gl_TessLevelOuter[3] = 2.0;
        gl_TessLevelInner[0] = gl_TessLevelInner[1] = 2.0;
    }
}
