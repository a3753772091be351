#version 450
// push 0x12345678 0xab 8 16
// out 305420984 318766968 171 305419896
layout(push_constant) uniform P { ivec4 p; };
layout(location = 0) out ivec4 o;
void main()
{
    o = ivec4(bitfieldInsert(p.x, p.y, 4, 8), bitfieldInsert(p.x, -1, p.z, p.w), bitfieldInsert(p.x, p.y, 0, 32), bitfieldInsert(p.x, p.y, 3, 0));
}
