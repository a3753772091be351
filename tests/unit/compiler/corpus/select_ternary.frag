#version 450
// out@0 0.0 -2.0 1.0 0.0
// out@3 1.0 2.0 3.0 4.0
// out@6 6.0 -0.5 1.0 0.0
// out@9 6.0 6.0 6.0 6.0
// out@15 5.0 5.0 5.0 5.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    o = v.x < 8.0 ? (v.w > 0.5 ? vec4(1.0, 2.0, 3.0, 4.0) : v) : vec4(v.y > 1.0 ? 5.0 : 6.0);
}
