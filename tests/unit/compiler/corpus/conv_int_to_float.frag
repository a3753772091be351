#version 450
// push -16777216 123456 0x80000000 5
// out -16777216.0 123456.0 2147483648.0 1.0
layout(push_constant) uniform P { ivec4 p; };
layout(location = 0) out vec4 o;
void main()
{
    o = vec4(float(p.x), float(p.y), float(uint(p.z)), float(bool(p.w)));
}
