// SPDX-License-Identifier: MIT
#version 450
layout(vertices = 3) out;
layout(set = 0, binding = 0) buffer Counts { uint vertices, controls, evaluations, bits; uint by_patch[]; };
layout(location = 0) in vec4 v_color[];
layout(location = 0) out vec4 c_color[];
layout(location = 5) patch out vec4 p_tint;
void main()
{
    atomicAdd(controls, 1u);
    atomicAdd(by_patch[gl_PrimitiveID * 3 + gl_InvocationID], 1u);
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    c_color[gl_InvocationID] = v_color[gl_InvocationID];
    p_tint = vec4(0.0);
    gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = gl_TessLevelInner[0] = 3.0;
}
