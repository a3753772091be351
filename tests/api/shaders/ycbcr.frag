#version 450
/* SPDX-License-Identifier: MIT */
layout(set = 0, binding = 0) uniform sampler2D picture;
layout(push_constant) uniform Push { vec2 scale; };
layout(location = 0) out vec4 color;

void main()
{
    color = texture(picture, gl_FragCoord.xy * scale);
}
