#version 450
// push 0x0ff0 0x3c3c 0x55 0
// out 3120 16380 13260 -86
layout(push_constant) uniform P { ivec4 p; };
layout(location = 0) out ivec4 o;
void main()
{
    o = ivec4(p.x & p.y, p.x | p.y, p.x ^ p.y, ~p.z);
}
