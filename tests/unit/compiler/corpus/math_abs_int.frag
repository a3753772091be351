#version 450
// out@0 7.0 8.0
// out@3 4.0 5.0
// out@6 1.0 2.0
// out@9 2.0 1.0
// out@15 8.0 7.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float x = v.x, y = v.y;
    o = vec4(float(abs(int(x) - 7)), float(abs(int(y * 4.0))), 0.0, 0.0);
}
