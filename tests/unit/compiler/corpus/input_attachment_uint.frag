#version 450
layout(input_attachment_index = 0, set = 2, binding = 1) uniform usubpassInput t;
layout(location = 0) out uvec4 o;
void main()
{
    o = subpassLoad(t) + 1u;
}
