#version 450
// push -1000 3 -3 31
// out -125 -1 -1 -1
layout(push_constant) uniform P { ivec4 p; };
layout(location = 0) out ivec4 o;
void main()
{
    o = ivec4(p.x >> p.y, p.z >> 4, p.x >> p.w, p.z >> 31);
}
