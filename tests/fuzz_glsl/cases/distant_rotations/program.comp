#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : enable
#extension GL_EXT_shader_8bit_storage : enable
#extension GL_EXT_shader_16bit_storage : enable
#extension GL_EXT_nonuniform_qualifier : enable
#extension GL_KHR_shader_subgroup_basic : enable
#extension GL_KHR_shader_subgroup_vote : enable
#extension GL_KHR_shader_subgroup_arithmetic : enable
#extension GL_KHR_shader_subgroup_ballot : enable
#extension GL_KHR_shader_subgroup_shuffle : enable
#extension GL_KHR_shader_subgroup_shuffle_relative : enable
#extension GL_KHR_shader_subgroup_clustered : enable
#extension GL_KHR_shader_subgroup_quad : enable
#extension GL_EXT_shader_subgroup_extended_types_int8 : enable
#extension GL_EXT_shader_subgroup_extended_types_int16 : enable
#extension GL_EXT_shader_subgroup_extended_types_int64 : enable
#extension GL_EXT_shader_subgroup_extended_types_float16 : enable
#define ZERO float(gl_NumWorkGroups.z - 1u)
layout(local_size_x = 16, local_size_y = 1, local_size_z = 1) in;
uint gid;
int cv4(bool a, bool b, bool c) { return int(int8_t(a)) + int(double(b)) + int(int64_t(c)); }
#ifdef PLAIN
layout(binding = 1) uniform usampler2D ar7[4];
uint ar7_of(uint i, uint j) { switch (i & 3u) {
        case 0u: return texelFetch(ar7[0], ivec2(j & 3u, j >> 2 & 1u), 0).y;
        case 1u: return texelFetch(ar7[1], ivec2(j & 3u, j >> 2 & 1u), 0).y;
        case 2u: return texelFetch(ar7[2], ivec2(j & 3u, j >> 2 & 1u), 0).y;
        default: return texelFetch(ar7[3], ivec2(j & 3u, j >> 2 & 1u), 0).y; } }
#else
layout(binding = 1) uniform usampler2D ar7[];
uint ar7_of(uint i, uint j) { return texelFetch(ar7[nonuniformEXT(i & 3u)], ivec2(j & 3u, j >> 2 & 1u), 0).y; }
#endif
struct Tw11 {
    ivec3 m0;
    vec2 m1;
    int m2;
    uvec4 m3;
    uint m4;
    ivec3 m5;
};
layout(std430, binding = 2) readonly buffer Bw11 { Tw11 w11[]; };
shared uint sw12[16];
#ifdef PLAIN
uint sx13(uint x) { uint i = gl_LocalInvocationIndex; float r = (float(sw12[i ^ 2u] & 7u) - float(3)); return floatBitsToUint(r); }
#else
uint sx13(uint x) { float v = (float(x & 7u) - float(3)); float r = subgroupQuadSwapVertical(v); return floatBitsToUint(r); }
#endif
#ifdef PLAIN
uint sx18(uint x) { uint i = gl_LocalInvocationIndex; int64_t r = (int64_t(sw12[(i & ~3u) + 1u]) * int64_t(0x100000001ul)); return (uint(r) ^ uint((r) >> 32)); }
#else
uint sx18(uint x) { int64_t v = (int64_t(x) * int64_t(0x100000001ul)); int64_t r = subgroupQuadBroadcast(v, 1u); return (uint(r) ^ uint((r) >> 32)); }
#endif
#ifdef PLAIN
uint sx20(uint x) { uint i = gl_LocalInvocationIndex; float16_t r = (float16_t(sw12[i ^ 2u] & 7u) - float16_t(3)); return uint(float16BitsToUint16(r)); }
#else
uint sx20(uint x) { float16_t v = (float16_t(x & 7u) - float16_t(3)); float16_t r = subgroupQuadSwapVertical(v); return uint(float16BitsToUint16(r)); }
#endif
layout(std430, binding = 0) buffer Out { uint o[]; };
mat4x3 fit_mat4x3(mat4x3 m) { for (int c = 0; c < 4; c++) m[c] = vec3(ivec3(m[c] * 4.0) & 63) * 0.25 - 8.0; return m; }
void main() {
    gid = (gl_WorkGroupID.z * gl_NumWorkGroups.y + gl_WorkGroupID.y) * gl_NumWorkGroups.x * 16u + gl_WorkGroupID.x * 16u + gl_LocalInvocationIndex;
    ivec3 v25[3] = ivec3[3](ivec3(0), w11[gid].m5, w11[gid].m0);
    mat4x3 v26 = fit_mat4x3(outerProduct((vec3(ivec3((vec3(ivec3(vec3(gl_GlobalInvocationID & 63u) * 16.0) & 1023) * 0.0625 - 32.0) * 4.0) & 63) * 0.25 - 8.0), vec4(1.0)));
    int v27 = w11[gid].m2;
    sw12[gl_LocalInvocationIndex] = w11[gid].m4;
    barrier();
    uint v29 = sx13(sw12[gl_LocalInvocationIndex]);
    barrier();
    sw12[gl_LocalInvocationIndex] = 0u;
    barrier();
    uint v30 = sx20(sw12[gl_LocalInvocationIndex]);
    barrier();
    sw12[gl_LocalInvocationIndex] = bitfieldExtract(v29, 0 & 15, cv4(bool(w11[gid].m4), false, false) & 15);
    barrier();
    uint v31 = sx20(sw12[gl_LocalInvocationIndex]);
    barrier();
    uint v33 = ar7_of(0u, gid);
    int v34 = int(distance(vec3(w11[gid].m2 & 7, 4.0, 0.0), vec3(0 & 7, 0.0, -3.0)) + 0.3);
    switch (v34 & 3) {
        default: {
            v26[v27][(v34 / -5)] = 0.0;
            v25[int(v31 % 3u)] += ivec3(inversesqrt(vec3(((ivec3(0) >> (gl_LocalInvocationID & 31u)) & 255) + 1)) * 16.0 + 0.25);
        }
        case 0: {
            switch ((ivec2(w11[gid].m1))[0 & 1] & 3) {
                case 2: {
                    v26[0] = vec3(0.0);
                }
            }
        }
    }
    sw12[gl_LocalInvocationIndex] = packUnorm2x16((vec2(ivec2(v31) & 7) * 2.0 + 1.0) / 16.0 + ZERO);
    barrier();
    uint v36 = sx18(sw12[gl_LocalInvocationIndex]);
    barrier();
    v26[0][1] = (float(int((float(int(fma((-1.5), (v26[2][2] - fract(v26[2][0])), v26[v34][1]) * 16.0) & 1023) * 0.0625 - 32.0) * 4.0) & 63) * 0.25 - 8.0);
    if (bool(w11[gid].m4)) {
        v26[1].yxz = (vec3(ivec3(((ar7_of(0u, v30) != ar7_of(0xeb661467u, gid)) ? mix(vec3(0.0), v26[0], notEqual(ivec3(0), v25[1])) : vec3(0.0)) * 4.0) & 63) * 0.25 - 8.0);
    } else {
    }
    o[gid * 21 + 1] = floatBitsToUint(v26[1].x);
    o[gid * 21 + 4] = uint(v25[2].x);
    o[gid * 21 + 11] = v33;
}
