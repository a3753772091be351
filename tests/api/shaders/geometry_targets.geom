// SPDX-License-Identifier: MIT
// Each triangle goes to one viewport of every layer.
#version 450
layout(triangles, invocations = 3) in;
layout(triangle_strip, max_vertices = 3) out;
layout(location = 0) in vec4 v_color[];
layout(location = 0) out vec4 g_color;
layout(location = 1) flat out uint g_bits;
void main()
{
    for (int i = 0; i < 3; i++) {
        gl_Layer = gl_InvocationID;
        gl_ViewportIndex = (gl_PrimitiveIDIn + gl_InvocationID) % 4;
        gl_Position = gl_in[i].gl_Position;
        g_color = v_color[i];
        g_bits = uint(100 * gl_InvocationID + gl_PrimitiveIDIn);
        gl_PrimitiveID = gl_PrimitiveIDIn;
        EmitVertex();
    }
}
