#version 450
// push 1000003 -17 -999999 1234
// out -58823 -810 142857 -124999
layout(push_constant) uniform P { ivec4 p; };
layout(location = 0) out ivec4 o;
void main()
{
    o = ivec4(p.x / p.y, p.z / p.w, p.x / 7, p.z / 8);
}
