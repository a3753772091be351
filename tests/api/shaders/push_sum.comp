#version 450
// Adds a pushed number to the words of a buffer.
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) buffer B { uint words[]; };
layout(push_constant) uniform P { uint skipped, added; };
void main()
{
    words[gl_LocalInvocationID.x] += added;
}
