// SPDX-License-Identifier: MIT
// Where a fragment lies, over what it interpolates.
#version 450
layout(location = 0) in vec4 v_color;
layout(location = 0) out vec4 o_color;
void main()
{
    o_color = vec4(fract(gl_FragCoord.xy / 256), v_color.b, 1);
}
