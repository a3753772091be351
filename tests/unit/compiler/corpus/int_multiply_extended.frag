#version 450
// push -2 0x7fffffff -70000 -80000
// out -1 2 1 1305032704
layout(push_constant) uniform P { ivec4 p; };
layout(location = 0) out ivec4 o;
void main()
{
    int high, low;
    imulExtended(p.x, p.y, high, low);
    int h2, l2;
    imulExtended(p.z, p.w, h2, l2);
    o = ivec4(high, low, h2, l2);
}
