#version 450
// out@0 4.5 0.0
// out@3 4.5 1.0
// out@6 6.0 0.0
// out@9 9.0 1.0
// out@15 15.0 1.75
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float x = v.x, y = v.y, w = v.w;
    o = vec4(max(x, 4.5), max(y, w), 0.0, 0.0);
}
