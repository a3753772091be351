#version 450
// push -5 3 -5 0x7fffffff
// out 1 1 1 0
layout(push_constant) uniform P { ivec4 p; };
layout(location = 0) out ivec4 o;
void main()
{
    o = ivec4(int(p.x < p.y), int(p.x <= p.z), int(p.w > p.x), int(p.y >= p.w));
}
