#version 450
// buffer -5 0x80000002 3 4 5 6 7 8 1
// out -1 0x40000001 8 1
layout(set = 0, binding = 0, std140) uniform U { int a; uint b; ivec2 c; uvec4 d; bool e; };
layout(location = 0) out ivec4 o;
void main()
{
    o = ivec4(a + c.y, int(b >> 1), int(d.w), int(e));
}
