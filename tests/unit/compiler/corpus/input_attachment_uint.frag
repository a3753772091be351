#version 450
// todo lookup of 3D, array and buffer images, input attachments
layout(input_attachment_index = 1, set = 2, binding = 1) uniform usubpassInput t;
layout(location = 0) out uvec4 o;
void main()
{
    o = subpassLoad(t) + 1u;
}
