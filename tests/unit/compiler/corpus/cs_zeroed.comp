#version 450
#extension GL_EXT_null_initializer : require
// Shared memory that begins as zero in every workgroup, though the workgroup before it has left other values there.
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint many = 5;
layout(set = 0, binding = 0) buffer Out { uint sums[]; };
struct Pair { vec2 a; bool b; uint c[3]; };
shared uint kept;
shared uint zeros[many] = {};
shared Pair pair = {};
shared uint one = {};
shared uint deep[2][2][2][2][2][1] = {}; // with six variable indices
#define DEEP deep[i & 1u][i >> 1 & 1u][i >> 2 & 1u][i >> 3 & 1u][i >> 4 & 1u][i >> 31]
void main()
{
    uint i = gl_LocalInvocationIndex, n = gl_WorkGroupSize.x, wrong = 0u;
    for (uint k = i; k < many; k += n)
        wrong += zeros[many - 1u - k] == 0u ? 0u : 1u;
    if (pair.a != vec2(0.0) || pair.b || pair.c[1] != 0u || pair.c[2] != 0u || one != 0u || DEEP != 0u)
        wrong += 1000u;
    barrier();
    atomicAdd(one, wrong + 1u);
    for (uint k = i; k < many; k += n)
        zeros[k] = k + 7u;
    pair.a = vec2(5.0);
    pair.b = true;
    pair.c = uint[3](1u, 2u, 3u);
    DEEP = (i & 31u) + 1u;
    barrier();
    if (DEEP != (i & 31u) + 1u)
        atomicAdd(one, 10000u);
    barrier();
    if (i == 0u) {
        kept = one;
        sums[gl_WorkGroupID.x] = kept;
    }
}
