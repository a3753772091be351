// SPDX-License-Identifier: MIT
#version 450
#extension GL_KHR_shader_subgroup_ballot : require
/* Which lanes run together: at each place the ballot of the lanes that are there. Word r of an invocation's results is
 * that of its r-th visit. test_shader_extensions.c has the same control flow, and expects that lanes at the same place
 * in the same iterations are together. */
layout(local_size_x = 64) in;
layout(std430, binding = 0) writeonly buffer Out { uint ballots[64][48]; };
layout(std430, binding = 1) readonly buffer In { uint bound; };

uint i = gl_LocalInvocationIndex, visits = 0;

void visit()
{
    ballots[i][visits++] = subgroupBallot(true).x;
}

uint leave_early(uint x)
{
    if (x % 7 == 0) {
        visit();
        return 1;
    }
    for (uint k = 0; k < bound; k++) {
        visit();
        if (x % (k + 2) == 0)
            return k;
        if (x % 5 == k)
            break;
    }
    visit();
    return x;
}

void main()
{
    for (uint k = 0; k < bound; k++) {
        if ((i + k) % 3 == 0) {
            visit();
            continue;
        }
        if (i % 5 == k) {
            visit();
            break;
        }
        if ((i & 4) != 0)
            visit();
        visit();
    }
    visit();
    switch (i % 4) {
    case 0:
        visit();
    case 1:
        visit();
        break;
    case 2:
        if ((i & 8) != 0)
            break;
        visit();
    default:
        visit();
    }
    visit();
    uint x = leave_early(i);
    visit();
    do {
        x = x / 2;
        for (uint k = 0;; k++) {
            if (k == (i & 3))
                break;
            visit();
        }
        visit();
    } while (x > bound);
    visit();
}
