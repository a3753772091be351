#version 450
// out@0 -0.0625 0.125 0.0
// out@3 -0.3125 0.125 12.0
// out@6 -1.0 0.125 24.0
// out@9 4.0 0.125 36.0
// out@15 1792.0 0.125 60.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    o = vec4(ldexp(v.y, int(v.x) - 5), ldexp(v.z, -3), ldexp(v.x, 2), 0.0);
}
