#version 450
// out@0 -2.0 -4.0 0.0
// out@3 -1.0 -2.0 2.0
// out@6 0.0 -1.0 3.0
// out@9 0.0 0.0 4.0
// out@15 2.0 4.0 8.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float x = v.x, y = v.y;
    o = vec4(roundEven(y), roundEven(y * 2.0), roundEven(x * 0.5), 0.0);
}
