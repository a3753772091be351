// SPDX-License-Identifier: MIT
// Fragments that are discarded have run as well.
#version 450
layout(location = 0) out vec4 color;
void main()
{
    if (gl_FragCoord.x < 4.0)
        discard;
    color = vec4(0.25, 0.5, 0.75, 1.0);
}
