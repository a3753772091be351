#version 450
#extension GL_ARB_shader_clock : require
#extension GL_EXT_shader_realtime_clock : require
/* SPDX-License-Identifier: MIT
 *
 * Passes green on; full blue where the clock goes forward, read under a condition in some lanes. */
layout(location = 0) in vec4 v_color;
layout(location = 0) out vec4 color;

bool is_later(uvec2 a, uvec2 b)
{
    return b.y > a.y || (b.y == a.y && b.x > a.x);
}

void main()
{
    uvec2 device = clockRealtime2x32EXT(), own = device;
    if ((uint(gl_FragCoord.x) + uint(gl_FragCoord.y)) % 3u == 0u)
        own = clock2x32ARB();
    uvec2 end = clockRealtime2x32EXT();
    bool is_right = is_later(device, end) && is_later(own, end) && !is_later(own, device) && device != uvec2(0u);
    color = vec4(1.0, v_color.g, is_right, 1.0);
}
