#version 450
#extension GL_KHR_shader_subgroup_basic : enable
#extension GL_KHR_shader_subgroup_ballot : enable
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Out { uint o[]; };
bool is_active() {
    return subgroupBallotBitExtract(subgroupBallot(true), gl_SubgroupInvocationID);
}
bool leaves(uint n) {
    for (uint i = 0u; i < (n & 3u); i++) {
        if ((n >> (2u + i) & 1u) == 0u)
            return is_active();
    }
    return false;
}
void main() {
    o[gl_LocalInvocationIndex] = uint(leaves(gl_LocalInvocationIndex));
}
