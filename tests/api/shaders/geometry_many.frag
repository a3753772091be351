// SPDX-License-Identifier: MIT
#version 450
layout(location = 0) in vec4 g_first;
layout(location = 1) flat in uvec4 g_bits[14];
layout(location = 15) in vec4 g_values[16];
layout(location = 0) out vec4 o_color;
void main()
{
    float sum = 0.0;
    bool good = true;
    for (int k = 0; k < 14; k++)
        good = good && g_bits[k].x == 0x80000001u && g_bits[k].y == 0x7fc00000u + uint(k) && g_bits[k].w == uint(4 * k + 3);
    for (int k = 0; k < 16; k++)
        sum += abs(g_values[k].x - g_first.x * float(k + 1)) + abs(g_values[k].w - g_first.w * float(k + 1) - 3.0);
    o_color = good && sum < 1.0 ? vec4(g_first.rg, float(g_bits[2].z) / 8.0, 1.0) : vec4(1.0, 0.0, 1.0, 1.0);
}
