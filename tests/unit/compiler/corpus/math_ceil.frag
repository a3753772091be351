#version 450
// out@0 -2.0 0.0
// out@3 -1.0 3.0
// out@6 0.0 5.0
// out@9 1.0 7.0
// out@15 2.0 12.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float x = v.x, y = v.y;
    o = vec4(ceil(y), ceil(x * 0.75), 0.0, 0.0);
}
