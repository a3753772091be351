// SPDX-License-Identifier: MIT
// Blends two mip levels, in as many steps as the target has columns.
#version 450
layout(set = 0, binding = 0) uniform sampler2D image;
layout(location = 0) out vec4 color;
void main()
{
    color = textureLod(image, vec2(0.5), (gl_FragCoord.x - 0.5) / 64.0);
}
