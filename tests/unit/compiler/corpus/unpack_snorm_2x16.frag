#version 450
// push 0x80017fff 0x8000c000 0 0
// out 1.0 -1.0 -0.500015 -1.0
layout(push_constant) uniform P { uint a, b, c, d; };
layout(location = 0) out vec4 o;
void main()
{
    o = vec4(unpackSnorm2x16(a), unpackSnorm2x16(b));
}
