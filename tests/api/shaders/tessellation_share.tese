// SPDX-License-Identifier: MIT
#version 450
layout(quads, equal_spacing) in;
struct Inner { float a[2]; vec3 b; };
layout(location = 0) in vec4 c_color[];
layout(location = 1) in Vertex { Inner inner[2]; mat2 m; } c_vertex[];
layout(location = 9) patch in vec4 p_parts[OUT > 8 ? 8 : OUT];
layout(location = 20) patch in Whole { vec3 sum; float rest[3]; } p_whole;
layout(location = 0) out vec4 g_color;
layout(location = 1) flat out uint g_bits;
void main()
{
    int count = gl_PatchVerticesIn, at = int(gl_TessCoord.x * 2.0 + gl_TessCoord.y * 4.0 + 0.5) % count;
    vec2 low = vec2(1e9), high = vec2(-1e9);
    for (int i = 0; i < count; i++) {
        low = min(low, gl_in[i].gl_Position.xy);
        high = max(high, gl_in[i].gl_Position.xy);
    }
    gl_Position = vec4(mix(low, high, gl_TessCoord.xy), 0.5, 1.0);
    g_color = c_color[at] + vec4(p_whole.sum * 0.2, 0.0) + p_parts[at % p_parts.length()] * 0.2;
    g_color.r += c_vertex[at].inner[at & 1].a[at % 2] * 0.2 + p_whole.rest[at % 3] * 0.1;
    g_color.g += c_vertex[at].inner[1].b[at % 3] * 0.1 + c_vertex[at].m[1][at & 1] * 0.05;
    g_bits = uint(p_whole.sum.x * 255.0);
}
