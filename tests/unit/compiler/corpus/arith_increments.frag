#version 450
// out@0 -0.25 0.75
// out@3 1.25 2.25
// out@6 2.75 3.75
// out@9 4.25 5.25
// out@15 7.25 8.25
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float a = v.x;
    a++;
    ++a;
    a -= 0.5;
    a *= 2.0;
    a /= 4.0;
    float b = a--;
    o = vec4(a, b, 0.0, 0.0);
}
