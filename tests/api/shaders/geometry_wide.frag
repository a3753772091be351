// SPDX-License-Identifier: MIT
#version 450
layout(location = 0) in vec4 v_values[31];
layout(location = 0) out vec4 color;
void main()
{
    vec4 sum = vec4(0.0);
    for (int i = 0; i < 31; i++)
        sum += v_values[i] / 16.0;
    color = sum * 0.5 + float(gl_PrimitiveID % 4) / 8.0;
}
