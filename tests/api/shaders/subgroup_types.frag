// SPDX-License-Identifier: MIT
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_subgroup_extended_types_int8 : require
#extension GL_EXT_shader_subgroup_extended_types_int16 : require
#extension GL_EXT_shader_subgroup_extended_types_int64 : require
#extension GL_EXT_shader_subgroup_extended_types_float16 : require
#extension GL_KHR_shader_subgroup_quad : require
layout(location = 0) out ivec4 color;

void main()
{
    ivec2 p = ivec2(gl_FragCoord.xy);
    color.x = subgroupQuadSwapHorizontal(int8_t(p.x * 11));
    color.y = subgroupQuadSwapVertical(int16_t(p.y * 3001));
    color.z = int(subgroupQuadSwapDiagonal(float16_t(p.x * 32 + p.y)));
    color.w = int(subgroupQuadSwapHorizontal(int64_t(p.x) << 35) >> 31);
}
