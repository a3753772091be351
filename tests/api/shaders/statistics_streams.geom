// SPDX-License-Identifier: MIT
// Emits 1, 2, 0 and 3 points to the four streams, each of which is captured in a buffer of its own.
#version 450
layout(points) in;
layout(points, max_vertices = 8) out;
layout(stream = 0, xfb_buffer = 0, xfb_stride = 16, xfb_offset = 0, location = 0) out vec4 s0_color;
layout(stream = 1, xfb_buffer = 1, xfb_stride = 8, xfb_offset = 0, location = 1) out vec2 s1_place;
layout(stream = 2, xfb_buffer = 2, xfb_stride = 4, xfb_offset = 0, location = 2) out float s2_none;
layout(stream = 3, xfb_buffer = 3, xfb_stride = 12, xfb_offset = 4, location = 3) out uvec2 s3_number;
void main()
{
    s0_color = gl_in[0].gl_Position * 0.5 + 0.5;
    gl_Position = gl_in[0].gl_Position;
    gl_PointSize = 3.0;
    EmitStreamVertex(0);
    EndStreamPrimitive(0);
    for (int i = 0; i < 3; i++) {
        if (i < 2) {
            s1_place = gl_in[0].gl_Position.xy + float(i);
            gl_Position = gl_in[0].gl_Position + vec4(0.25, 0.0, 0.0, 0.0);
            gl_PointSize = 1.0;
            EmitStreamVertex(1);
            EndStreamPrimitive(1);
        }
        s3_number = uvec2(gl_PrimitiveIDIn, i);
        EmitStreamVertex(3);
        EndStreamPrimitive(3);
    }
}
