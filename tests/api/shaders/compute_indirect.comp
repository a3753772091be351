#version 450
layout(local_size_x = 1) in;
layout(push_constant) uniform Push { uvec3 count; };
layout(std430, set = 0, binding = 0) writeonly buffer Out { uint words[]; };

void main()
{
    for (uint i = 0u; i < 3u; i++)
        words[i + 1u] = count[i];
}
