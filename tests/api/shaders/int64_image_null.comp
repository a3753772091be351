// SPDX-License-Identifier: MIT
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_image_int64 : require
#extension GL_EXT_shader_image_load_formatted : require
/* Reads a texel of 64 bits through an image whose format only the descriptor knows. */
layout(local_size_x = 1) in;
layout(binding = 0) uniform volatile u64image2D image;
layout(binding = 1, std430) buffer Texel { u64vec4 texel; };

void main()
{
    texel = imageLoad(image, ivec2(1, 2));
}
