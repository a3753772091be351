#version 450
// out@0 0.25 0.0002441
// out@3 0.4204482 0.0019531
// out@6 0.7071068 0.015625
// out@9 1.1892071 0.125
// out@15 3.3635857 8.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float x = v.x, y = v.y;
    o = vec4(exp2(y), exp2(x - 12.0), 0.0, 0.0);
}
