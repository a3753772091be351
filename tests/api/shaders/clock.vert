#version 450
#extension GL_ARB_shader_clock : require
#extension GL_EXT_shader_realtime_clock : require
/* SPDX-License-Identifier: MIT
 *
 * A triangle over everything; full green where the clock goes forward. */
layout(location = 0) out vec4 v_color;

bool is_later(uvec2 a, uvec2 b)
{
    return b.y > a.y || (b.y == a.y && b.x > a.x);
}

void main()
{
    uvec2 device = clockRealtime2x32EXT(), own = clock2x32ARB();
    gl_Position = vec4(vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 4.0 - 1.0, 0.0, 1.0);
    bool is_right = is_later(device, clockRealtime2x32EXT()) && is_later(own, clock2x32ARB()) && device != uvec2(0u);
    v_color = vec4(0.0, is_right, 0.0, 1.0);
}
