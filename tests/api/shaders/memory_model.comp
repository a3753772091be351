#version 450
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
/* SPDX-License-Identifier: MIT
 *
 * Words go from one invocation to another: by barriers of the workgroup, and by flags of the device's scope. */
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) nonprivate buffer Out { uint words[64], passed[64], flags[64], got[64]; };

void main()
{
    uint i = gl_LocalInvocationIndex, other = i ^ 37u;
    words[i] = i * 3u + 1u;
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer,
                   gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible);
    passed[i] = words[other];
    memoryBarrier(gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease | gl_SemanticsMakeAvailable);
    atomicStore(flags[i], 1u, gl_ScopeDevice, 0, 0);
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);
    uint flag = atomicLoad(flags[other], gl_ScopeDevice, 0, 0);
    memoryBarrier(gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire | gl_SemanticsMakeVisible);
    got[i] = flag == 1u ? passed[other] : 0u;
}
