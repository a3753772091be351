#version 450
// Reads what an earlier subpass has drawn at this pixel: its colour, and its depth as blue.
layout(input_attachment_index = 0, set = 0, binding = 0) uniform subpassInput color;
layout(input_attachment_index = 1, set = 0, binding = 1) uniform subpassInput depth;
layout(location = 0) out vec4 o_color;
void main()
{
    o_color = vec4(subpassLoad(color).yx, subpassLoad(depth).x, 1.0);
}
