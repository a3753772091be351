#version 450
// Reads an input attachment: components change places, and something is added. ODD: kills pixels whose red is odd.
#ifdef UINT
layout(input_attachment_index = 0, set = 0, binding = 0) uniform usubpassInput i_old;
layout(location = 0) out uvec4 o_color;
#else
layout(input_attachment_index = 0, set = 0, binding = 0) uniform subpassInput i_old;
layout(location = 0) out vec4 o_color;
#endif
layout(push_constant) uniform P { vec4 color; };
void main()
{
#ifdef UINT
    uvec4 old = subpassLoad(i_old);
#ifdef ODD
    if ((old.x & 1u) == 1u)
        discard;
#endif
    o_color = old.yzxw + uvec4(color);
#else
    o_color = subpassLoad(i_old).yzxw * 0.75 + color;
#endif
}
