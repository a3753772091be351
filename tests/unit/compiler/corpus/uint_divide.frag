#version 450
// push 0xfffffffe 3 0x80000001 0x7fffffff
// out 1431655764 1 429496729 134217728
layout(push_constant) uniform P { uvec4 p; };
layout(location = 0) out uvec4 o;
void main()
{
    o = uvec4(p.x / p.y, p.z / p.w, p.x / 10u, p.z / 16u);
}
