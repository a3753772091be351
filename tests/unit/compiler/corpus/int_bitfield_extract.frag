#version 450
// push 0x00000f80 7 5 -77
// out -8 -1 -77 0
layout(push_constant) uniform P { ivec4 p; };
layout(location = 0) out ivec4 o;
void main()
{
    o = ivec4(bitfieldExtract(p.x, 4, 8), bitfieldExtract(p.x, p.y, p.z), bitfieldExtract(p.w, 0, 32), bitfieldExtract(p.w, 5, 0));
}
