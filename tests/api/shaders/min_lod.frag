// SPDX-License-Identifier: MIT
#version 450
#extension GL_ARB_sparse_texture_clamp : require
/* Lookups with a least level of detail. */
layout(binding = 0) uniform sampler2D image;
layout(location = 0) out vec4 color;
layout(push_constant) uniform Push { vec2 scale; float min_lod, bias; int kind; };

void main()
{
    vec2 at = gl_FragCoord.xy * scale;
    if (kind == 0)
        color = textureClampARB(image, at, min_lod);
    else if (kind == 1)
        color = textureClampARB(image, at, min_lod, bias);
    else
        color = textureGradClampARB(image, at, vec2(scale.x * exp2(bias), 0), vec2(0), min_lod);
}
