#version 450
// out@0 0.0 -2.0 0.0
// out@3 3.0 1.75 30.0
// out@6 6.0 5.5 60.0
// out@9 9.0 9.25 90.0
// out@15 15.0 16.75 150.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
float f(float x) { return x; }
float f(vec2 x) { return x.x + x.y; }
float f(int x) { return float(x) * 10.0; }

void main()
{
    o = vec4(f(v.x), f(v.xy), f(int(v.x)), 0.0);
}
