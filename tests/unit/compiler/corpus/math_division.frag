#version 450
// out@0 0.0 2.0 -2.0
// out@3 1.0 0.2857143 -0.3125
// out@6 2.0 0.1538462 -0.0714286
// out@9 3.0 0.1052632 0.025
// out@15 5.0 0.0645161 0.109375
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float x = v.x, y = v.y;
    o = vec4(x / 3.0, 1.0 / (x + 0.5), y / (x + 1.0), 0.0);
}
