#version 450
// push 0x00000f80 7 5 0x80000001
// out 248 31 2147483649 1
layout(push_constant) uniform P { uvec4 p; };
layout(location = 0) out uvec4 o;
void main()
{
    o = uvec4(bitfieldExtract(p.x, 4, 8), bitfieldExtract(p.x, int(p.y), int(p.z)), bitfieldExtract(p.w, 0, 32), bitfieldExtract(p.w, 31, 1));
}
