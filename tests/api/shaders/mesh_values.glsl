// What task and mesh shaders see of their place, written to buffers, and what they share. STAGE: 0 task, 1 mesh.
#version 460
#extension GL_EXT_mesh_shader : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require

layout(local_size_x_id = 0, local_size_y_id = 1) in;

struct Seen {
    uvec4 group, count, global, local; // the fourth words: draw, shared sum, sum of the subgroup, subgroup
};
layout(set = 0, binding = STAGE) buffer Runs
{
    uint runs;
    uint sum; // of what the payload holds
    uint unused_[2];
    Seen seen[];
};

struct Inner {
    uint8_t bytes[5];
    uint16_t halves[3];
    mat2x3 matrix;
    uint64_t wide;
    bool flag;
};
struct Payload {
    uvec3 group;
    Inner inner[4];
    uint counts[64];
};
taskPayloadSharedEXT Payload payload;

shared uint total;

uint see(uint draw)
{
    const uint size = gl_WorkGroupSize.x * gl_WorkGroupSize.y;
    if (gl_LocalInvocationIndex == 0)
        total = 0;
    barrier();
    atomicAdd(total, gl_LocalInvocationIndex + 1);
    barrier();
    const uint place = atomicAdd(runs, 1);
    seen[place] = Seen(uvec4(gl_WorkGroupID, draw), uvec4(gl_NumWorkGroups, total),
                       uvec4(gl_GlobalInvocationID, subgroupAdd(1)), uvec4(gl_LocalInvocationID, gl_SubgroupID));
    return size;
}

#if STAGE == 0
void main()
{
    see(gl_DrawID);
    const uint k = gl_LocalInvocationIndex & 3;
    if (gl_LocalInvocationIndex == 0)
        payload.group = gl_WorkGroupID;
    if (gl_LocalInvocationIndex < 4) {
        for (uint i = 0; i < 5; i++)
            payload.inner[k].bytes[i] = uint8_t(250 + i + k);
        payload.inner[k].halves[k % 3] = uint16_t(65000 + k);
        payload.inner[k].matrix = mat2x3(k, 1, 2, 3, 4, 5);
        payload.inner[k].wide = uint64_t(k + 1) << 33;
        payload.inner[k].flag = (k & 1) != 0;
    }
    payload.counts[gl_LocalInvocationIndex & 63] = 0;
    barrier();
    atomicAdd(payload.counts[gl_WorkGroupID.x & 63], gl_LocalInvocationIndex);
    barrier();
    EmitMeshTasksEXT(1 + gl_WorkGroupID.x, 2, 1 + gl_WorkGroupID.y);
}
#else
layout(triangles, max_vertices = 3, max_primitives = 1) out;

void main()
{
    see(gl_DrawID);
    uint sum_here = payload.group.x + 10 * payload.group.y + 100 * payload.group.z;
    for (uint k = 0; k < 4; k++) {
        sum_here += uint(payload.inner[k].bytes[k]) + uint(payload.inner[k].halves[k % 3]) +
                    uint(payload.inner[k].matrix[1][k % 3]) + uint(payload.inner[k].wide >> 33) +
                    (payload.inner[k].flag ? 1000 : 0);
    }
    sum_here += payload.counts[payload.group.x & 63];
    if (gl_LocalInvocationIndex == 0)
        atomicAdd(sum, sum_here);
    SetMeshOutputsEXT(0, 0);
}
#endif
