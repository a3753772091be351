#version 450
// Reads the pixel that it writes: components change places, so every word of the texel needs all of them.
layout(input_attachment_index = 0, set = 0, binding = 0) uniform usubpassInput i_old;
layout(location = 0) out uvec4 o_color;
void main()
{
    uvec4 old = subpassLoad(i_old);
    o_color = old.wxyz + uvec4(1u, 2u, 3u, 4u);
}
