#version 450
// What an earlier subpass has drawn in this view, its channels in another order.
layout(input_attachment_index = 0, set = 0, binding = 0) uniform subpassInput color;
layout(location = 0) out vec4 o_color;
void main()
{
    o_color = subpassLoad(color).bgra;
}
