#version 450
// push 0x80000000 0x7fffffff 1 0
// out 1 0 0 0
layout(push_constant) uniform P { ivec4 p; };
layout(location = 0) out ivec4 o;
void main()
{
    o = ivec4(int(p.x < p.y), int(p.y < p.x), int(p.x > p.z), int(p.z >= p.y));
}
