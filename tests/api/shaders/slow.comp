#version 450
layout(local_size_x = 16) in;
layout(std430, binding = 0) buffer Counts { uint go_on, turns; };

void main()
{
    for (uint i = 0u; i < 200u * go_on; i++)
        atomicAdd(turns, 1u);
}
