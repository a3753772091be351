#version 450
// out@0 2.0 0.0
// out@3 1.25 3.0
// out@6 0.5 6.0
// out@9 0.25 9.0
// out@15 1.75 15.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float x = v.x, y = v.y;
    o = vec4(abs(y), abs(-x), 0.0, 0.0);
}
