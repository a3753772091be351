#version 450
// push 123456 -7890 65537 -5
// out -974067840 131073 15 -617280
layout(push_constant) uniform P { ivec4 p; };
layout(location = 0) out ivec4 o;
void main()
{
    o = ivec4(p.x * p.y, p.z * p.z, p.w * -3, p.x * p.w);
}
