#version 450
// out@0 4.0 1.0
// out@3 0.2088887 0.421875
// out@6 0.3922323 0.1779785
// out@9 1.7556215 0.0750847
// out@15 121.082247 0.0133635
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float x = v.x, y = v.y;
    o = vec4(pow(x + 0.5, y), pow(0.75, x), 0.0, 0.0);
}
