// SPDX-License-Identifier: MIT
// Every location is read, and shown: a sum that changes when any component of any of them does.
#version 450
layout(location = 0) in vec4 position;
layout(location = 1) in vec4 a1;
layout(location = 2) in vec4 a2;
layout(location = 3) in vec4 a3;
layout(location = 4) in mat4 a4;
layout(location = 8) in vec4 a8;
layout(location = 9) in vec4 a9;
layout(location = 10) in vec4 a10;
layout(location = 11) in vec4 a11;
layout(location = 12) in mat4 a12;
#ifdef MANY
layout(location = 16) in vec4 more[16];
#endif
layout(location = 0) out vec4 color;
void main()
{
    vec4 sum = a1 + 2 * a2 + 3 * a3 + 4 * a4[0] + 5 * a4[1] + 6 * a4[2] + 7 * a4[3] + 8 * a8 + 9 * a9 + 10 * a10 + 11 * a11;
    color = (sum + 12 * a12[0] + 13 * a12[1] + 14 * a12[2]) / 120;
#ifdef MANY
    for (int i = 0; i < 16; i++)
        color += float(i + 1) * more[i] / 1000;
#endif
#ifdef CULLED
    gl_CullDistance[0] = a1.x - 0.4;
#endif
#ifdef NUMBERS
    color.b = float(gl_VertexIndex % 64 + gl_InstanceIndex) / 128.0;
#endif
    gl_Position = position + a12[3];
#ifdef CORNERS
    gl_Position.xy += vec2(gl_VertexIndex / 4 % 4 + gl_VertexIndex % 2, gl_VertexIndex / 16 + gl_VertexIndex / 2 % 2) / 4;
#endif
}
