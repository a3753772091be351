#version 450
layout(location = 0) flat in uvec4 v_bits;
layout(location = 0) out uvec4 o_bits;
void main()
{
    o_bits = v_bits;
}
