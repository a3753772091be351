#version 450
layout(local_size_x = 16) in;
layout(std430, binding = 0) buffer Counts { uint go_on, turns; };

void main()
{
    while (go_on != 0u)
        atomicAdd(turns, 1u);
}
