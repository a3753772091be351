// SPDX-License-Identifier: MIT
#version 450
layout(location = 0) flat in dvec3 v_place;
layout(location = 2) flat in double v_one;
layout(location = 0) out vec4 color;

void main()
{
    dvec2 c = v_place.xy + dvec2(gl_FragCoord.xy - 32) * v_place.z, z = dvec2(0);
    int n = 0;
    for (; n < 60 && dot(z, z) < 4 * v_one; n++)
        z = dvec2(z.x * z.x - z.y * z.y, 2 * z.x * z.y) + c;
    color = vec4(float(n) / 60, float(fract(z.x * 1e6)), c.x < v_place.x, 1);
}
