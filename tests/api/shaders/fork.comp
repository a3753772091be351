#version 450
layout(local_size_x = 32) in;
layout(constant_id = 0) const uint number = 0u;
layout(std430, binding = 0) writeonly buffer Out { uint words[]; };

/* Each number makes other instructions, not just another constant. */
uint step(uint x, uint bit)
{
    return ((number >> bit) & 1u) != 0u ? x ^ (x << 3) : x + 77u;
}

void main()
{
    uint x = gl_GlobalInvocationID.x;
    x = step(step(step(step(x, 0u), 1u), 2u), 3u);
    x = step(step(step(step(x, 4u), 5u), 6u), 7u);
    x = step(step(step(step(x, 8u), 9u), 10u), 11u);
    x = step(step(step(step(x, 12u), 13u), 14u), 15u);
    words[gl_GlobalInvocationID.x] = x;
}
