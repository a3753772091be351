#version 450
// push 0xfffffff0 5 0xffffffff 0
// out 5 0xfffffff0 0xfffffff0 0
layout(push_constant) uniform P { uvec4 p; };
layout(location = 0) out uvec4 o;
void main()
{
    o = uvec4(min(p.x, p.y), max(p.x, p.y), clamp(p.z, p.y, p.x), min(p.w, 1u));
}
