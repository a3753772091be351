#version 450
// push 0.0 1e30.
// out 1 1 1 1
layout(push_constant) uniform P { float zero, big; };
layout(location = 0) out ivec4 o;
void main()
{
    float inf = 1.0 / zero;
    o = ivec4(inf > big, -inf < -big, min(inf, big) == big, max(-inf, big) == big);
}
