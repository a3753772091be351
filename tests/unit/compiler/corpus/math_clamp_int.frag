#version 450
// out@0 -3.0 2.0
// out@3 -3.0 3.0
// out@6 -2.0 6.0
// out@9 1.0 9.0
// out@15 4.0 11.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float x = v.x;
    o = vec4(float(clamp(int(x) - 8, -3, 4)), float(clamp(uint(x), 2u, 11u)), 0.0, 0.0);
}
