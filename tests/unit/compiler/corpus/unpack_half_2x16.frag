#version 450
// push 0xc0003c00 0x7bff3800 0 0
// out 1.0 -2.0 0.5 65504.0
layout(push_constant) uniform P { uint a, b, c, d; };
layout(location = 0) out vec4 o;
void main()
{
    o = vec4(unpackHalf2x16(a), unpackHalf2x16(b));
}
