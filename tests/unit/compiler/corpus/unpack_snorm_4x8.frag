#version 450
// push 0x7f40c081 0 0 0
// out -1.0 -0.503937 0.503937 1.0
layout(push_constant) uniform P { uint a, b, c, d; };
layout(location = 0) out vec4 o;
void main()
{
    o = unpackSnorm4x8(a);
}
