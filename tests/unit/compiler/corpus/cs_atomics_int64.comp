#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
#extension GL_ARB_gpu_shader_int64 : require
#extension GL_KHR_memory_scope_semantics : require
// Atomics on 64-bit integers: numbers that all invocations change, numbers of one invocation each, shared memory, and some
// lanes only.
layout(local_size_x = 40) in;

layout(set = 0, binding = 0, std430) buffer All { uint64_t sum, top, bits; int64_t least, greatest; uint64_t tickets, seldom, pairs[3]; };
struct Own { uint64_t x; int64_t s; uint64_t old[10]; };
layout(set = 0, binding = 1, std430) buffer Each { Own own[]; };
shared uint64_t together[2];

void main()
{
    uint i = gl_GlobalInvocationID.x;
    uint64_t a = uint64_t(i + 1u) * 0x9e3779b97f4a7c15ul;
    atomicAdd(sum, a);
    atomicMax(top, a);
    atomicXor(bits, a);
    atomicMin(least, int64_t(a));
    atomicMax(greatest, int64_t(a));
    own[i].old[0] = atomicAdd(tickets, 1ul << 31);
    if (i % 3u == 1u)
        atomicAdd(seldom, 0xfffffffful);
    atomicAdd(pairs[i % 3u], a);
    own[i].old[1] = atomicExchange(own[i].x, a);
    own[i].old[2] = atomicCompSwap(own[i].x, a + uint64_t(i & 1u), a ^ 5ul);
    own[i].old[3] = atomicAnd(own[i].x, ~1ul);
    own[i].old[4] = atomicOr(own[i].x, 1ul << 63);
    own[i].old[5] = atomicMin(own[i].x, 0x8100000000000000ul);
    own[i].old[6] = uint64_t(atomicMin(own[i].s, int64_t(a)));
    own[i].old[7] = uint64_t(atomicMax(own[i].s, -1l));
    own[i].old[8] = atomicLoad(own[i].x, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelaxed);
    if (gl_LocalInvocationIndex < 2u)
        atomicStore(together[gl_LocalInvocationIndex], 3ul, gl_ScopeWorkgroup, gl_StorageSemanticsShared, gl_SemanticsRelaxed);
    barrier();
    atomicAdd(together[i & 1u], a);
    barrier();
    own[i].old[9] = together[i & 1u];
}
