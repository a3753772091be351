#version 450
layout(location = 0) in vec4 v;
layout(input_attachment_index = 0, set = 2, binding = 0) uniform subpassInput t;
layout(location = 0) out vec4 o;
void main()
{
    o = subpassLoad(t) * v.w + v * 0.03125;
}
