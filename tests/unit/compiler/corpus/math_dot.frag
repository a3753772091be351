#version 450
// out@0 -0.0 -2.0 5.0
// out@3 -7.5 -2.0 12.5625
// out@6 -6.0 2.5 37.25
// out@9 4.5 11.5 83.0625
// out@15 52.5 43.0 230.0625
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    o = vec4(dot(v.xy, v.yx), dot(v.xyz, v.zxy), dot(v, v), 0.0);
}
