#version 450
// out@0 -3.0 -2.0
// out@3 -2.0 -1.0
// out@6 -1.0 0.0
// out@9 0.0 1.0
// out@15 2.0 2.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float x = v.x, y = v.y;
    o = vec4(round(y * 1.3), round(x * 0.3 - 2.1), 0.0, 0.0);
}
