#version 450
#extension GL_KHR_shader_subgroup_ballot : require
// Ballots at the places where lanes that have parted run together again. add_mode.py adds MaximallyReconvergesKHR.
layout(local_size_x = 40) in;
layout(set = 0, binding = 0) buffer Out { uint words[][48]; };
layout(set = 0, binding = 1) readonly buffer In { uint values[]; };

void record(uint n)
{
    words[n][gl_LocalInvocationIndex] = subgroupBallot(true).x;
}

void leave(uint v)
{
    for (uint n = v; n > 20u; n -= 20u)
        if (n % 7u == 3u)
            return;
    record(16u);
}

void main()
{
    uint v = values[gl_LocalInvocationIndex];
    for (uint round = 0u; round < 5u; round++) {
        if ((v >> round & 1u) == 1u) {
            record(round);
            if (v % 3u == round)
                continue;
        } else if (v % 5u == round) {
            break;
        }
        record(5u + round);
    }
    record(10u);
    switch (v & 3u) {
    case 0u:
        record(11u);
        break;
    case 1u:
        record(12u);
        break;
    case 2u:
        record(13u);
        break;
    default:
        record(14u);
        break;
    }
    record(15u);
    leave(v);
}
