#version 450
// Reads an input attachment and writes it, with other components and something added, to the location OUT.
#ifdef DEPTH
layout(input_attachment_index = 3, set = 0, binding = 0) uniform subpassInput i_old;
#else
layout(input_attachment_index = 0, set = 0, binding = 0) uniform subpassInput i_old;
#endif
layout(push_constant) uniform P { vec4 color; };
layout(location = OUT) out vec4 o_color;
void main()
{
    o_color = subpassLoad(i_old).yzxw * 0.5 + color;
}
