#version 450
// Divergent loops, early returns, a switch; stores and loads in all of them.
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) buffer Out { uint steps[64]; uint found[64]; uint kinds[64]; };
layout(set = 0, binding = 1) readonly buffer In { uint table[]; };
uint collatz(uint n)
{
    uint k = 0u;
    while (n != 1u) {
        n = (n & 1u) == 1u ? 3u * n + 1u : n / 2u;
        k++;
        if (k > 50u)
            return 999u;
    }
    return k;
}
void main()
{
    uint i = gl_GlobalInvocationID.x;
    steps[i] = collatz(i + 1u);
    found[i] = 77u;
    for (uint k = 0u; k < 64u; k++) {
        if (table[k] == i) {
            found[i] = k;
            break;
        }
        if (table[k] > 1000u)
            continue;
        if (k > 40u)
            found[i] += 1u;
    }
    switch (i % 5u) {
    case 0u:
        kinds[i] = 10u;
        return;
    case 1u:
        kinds[i] = 11u;
        break;
    case 2u:
    case 3u:
        kinds[i] = i;
        break;
    default:
        return;
    }
    kinds[i] += 100u;
}
