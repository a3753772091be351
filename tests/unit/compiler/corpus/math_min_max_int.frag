#version 450
// out@0 -5.0 -2.0 0.0 6.0
// out@3 -2.0 -2.0 3.0 6.0
// out@6 1.0 1.0 6.0 6.0
// out@9 3.0 4.0 9.0 9.0
// out@15 3.0 10.0 9.0 15.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float x = v.x;
    o = vec4(float(min(int(x) - 5, 3)), float(max(int(x) - 5, -2)), float(min(uint(x), 9u)), float(max(uint(x), 0x6u)));
}
