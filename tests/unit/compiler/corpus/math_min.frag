#version 450
// out@0 0.0 -2.0
// out@3 3.0 -1.25
// out@6 4.5 -0.5
// out@9 4.5 0.25
// out@15 4.5 1.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float x = v.x, y = v.y, w = v.w;
    o = vec4(min(x, 4.5), min(y, w), 0.0, 0.0);
}
