#version 450
// out@0 2.0 -1.5
// out@3 1.0625 -0.1875
// out@6 0.125 1.125
// out@9 -0.8125 2.4375
// out@15 -2.6875 5.0625
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float x = v.x, y = v.y;
    o = vec4(mix(2.0, -3.0, x * 0.0625), mix(y, x, 0.25), 0.0, 0.0);
}
