#version 450
// Copies words of descriptors.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer From { uint from[]; };
layout(set = 0, binding = 1) buffer To { uint to[]; };
layout(push_constant) uniform Push { uint from_word, to_word, words; };

void main()
{
    const uint i = gl_GlobalInvocationID.x;
    if (i < words)
        to[to_word + i] = from[from_word + i];
}
