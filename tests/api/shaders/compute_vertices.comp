#version 450
layout(local_size_x = 3) in;
layout(std430, set = 0, binding = 0) writeonly buffer Out { float words[]; };

/* Two floats of position and four of colour: a triangle over the whole target. */
void main()
{
    uint i = gl_LocalInvocationID.x;
    words[6u * i] = i == 1u ? 3.0 : -1.0;
    words[6u * i + 1u] = i == 2u ? 3.0 : -1.0;
    words[6u * i + 2u] = 1.0;
    words[6u * i + 3u] = 0.0;
    words[6u * i + 4u] = 1.0;
    words[6u * i + 5u] = 1.0;
}
