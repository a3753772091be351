#version 450
// push 0xffff0000 0x33336666 0 0
// out 0.0 1.0 0.4 0.2
layout(push_constant) uniform P { uint a, b, c, d; };
layout(location = 0) out vec4 o;
void main()
{
    o = vec4(unpackUnorm2x16(a), unpackUnorm2x16(b));
}
