#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_shuffle : require
// Subgroup operations on 64-bit floats; the last subgroup is incomplete.
layout(local_size_x = 40) in;
layout(set = 0, binding = 0) buffer Out { double numbers[][48]; };
layout(set = 0, binding = 1) readonly buffer In { double values[]; };
void main()
{
    uint i = gl_LocalInvocationIndex;
    double x = values[i];
    dvec2 two = subgroupExclusiveAdd(dvec2(x, -x));
    numbers[0][i] = subgroupAdd(x);
    numbers[1][i] = two.x;
    numbers[2][i] = two.y;
    numbers[3][i] = subgroupInclusiveMul(1.0lf + x * 0.0lf + double(gl_SubgroupInvocationID & 1u));
    numbers[4][i] = subgroupMin(x);
    numbers[5][i] = subgroupClusteredMax(x, 4u);
    numbers[6][i] = subgroupShuffleXor(x, 1u);
    numbers[7][i] = (subgroupAllEqual(x) ? 1.0lf : 0.0lf) + (subgroupAllEqual(dvec2(0.0lf * x, 1)) ? 2.0lf : 0.0lf);
}
