// SPDX-License-Identifier: MIT
// As many components as vertex shaders may write, all of which the fragment shader reads, and the number of the primitive.
#version 450
layout(location = 0) in vec4 position;
layout(location = 1) in vec4 color;
layout(location = 0) out vec4 v_values[31];
out gl_PerVertex
{
    vec4 gl_Position;
};
void main()
{
    gl_Position = position;
    for (int i = 0; i < 31; i++)
        v_values[i] = color * float(i + 1) / 31.0;
}
