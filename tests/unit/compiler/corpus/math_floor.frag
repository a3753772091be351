#version 450
// out@0 -2.0 0.0
// out@3 -2.0 2.0
// out@6 -1.0 4.0
// out@9 0.0 6.0
// out@15 1.0 11.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float x = v.x, y = v.y;
    o = vec4(floor(y), floor(x * 0.75), 0.0, 0.0);
}
