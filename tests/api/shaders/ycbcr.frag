#version 450
/* SPDX-License-Identifier: MIT */
#ifdef ARRAY
layout(set = 0, binding = 0) uniform sampler2DArray picture;
#define PLACE(uv) vec3(uv, layer)
#else
layout(set = 0, binding = 0) uniform sampler2D picture;
#define PLACE(uv) uv
#endif
layout(push_constant) uniform Push { vec2 scale; float layer; };
layout(location = 0) out vec4 color;

void main()
{
    color = texture(picture, PLACE(gl_FragCoord.xy * scale));
}
