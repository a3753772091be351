// SPDX-License-Identifier: MIT
// Passes on the first OUT vertices of the patch. Levels come from push constants.
#version 450
layout(vertices = OUT) out;
layout(push_constant) uniform Push { vec4 outer; vec2 inner; } push;
layout(location = 0) in vec4 v_color[];
layout(location = 3) flat in ivec2 v_ids[];
layout(location = 0) out vec4 c_color[];
layout(location = 5) patch out vec4 p_tint;
void main()
{
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    gl_out[gl_InvocationID].gl_PointSize = gl_in[gl_InvocationID].gl_PointSize;
    c_color[gl_InvocationID] = v_color[gl_InvocationID];
    if (gl_InvocationID == OUT - 1) {
        for (int i = 0; i < 4; i++)
            gl_TessLevelOuter[i] = push.outer[i];
        gl_TessLevelInner[0] = push.inner.x;
        gl_TessLevelInner[1] = push.inner.y;
        p_tint = vec4(float(gl_PrimitiveID % 3) / 4.0, float(v_ids[0].y) / 4.0, float(gl_PatchVerticesIn) / 32.0, 0.0);
    }
}
