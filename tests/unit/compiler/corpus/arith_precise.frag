#version 450
// out@0 0.0 0.0
// out@3 -0.75 1.3125
// out@6 3.0 6.0
// out@9 11.25 115.3125
// out@15 41.25 1660.3125
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    precise float a = v.x * v.y + v.x;
    precise float b = a * a - a;
    o = vec4(a, b, 0.0, 0.0);
}
