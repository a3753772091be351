#version 450
// push 0xff663300 0 0 0
// out 0.0 0.2 0.4 1.0
layout(push_constant) uniform P { uint a, b, c, d; };
layout(location = 0) out vec4 o;
void main()
{
    o = unpackUnorm4x8(a);
}
