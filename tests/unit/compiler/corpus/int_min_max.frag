#version 450
// push -9 0x7ffffff0 0x7fffffff 0
// out -9 0x7ffffff0 0x7ffffff0 9
layout(push_constant) uniform P { ivec4 p; };
layout(location = 0) out ivec4 o;
void main()
{
    o = ivec4(min(p.x, p.y), max(p.x, p.y), clamp(p.z, p.x, p.y), abs(p.x));
}
