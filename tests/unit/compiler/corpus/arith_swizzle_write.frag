#version 450
// out@0 -2.0 3.0 0.0 0.0
// out@3 -1.25 3.0 3.0 0.0
// out@6 -0.5 3.0 6.0 0.0
// out@9 0.25 3.0 9.0 0.0
// out@15 1.75 3.0 15.0 0.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    o = vec4(0.0);
    o.zx = v.xy;
    o.w += 3.0;
    o.yw = o.wy;
}
