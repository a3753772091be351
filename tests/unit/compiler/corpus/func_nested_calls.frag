#version 450
// out@0 -4.0 3.0 1.0
// out@3 -8.0 1.5 10.0
// out@6 -4.0 0.0 37.0
// out@9 -8.0 -1.5 82.0
// out@15 -8.0 -4.5 226.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
float f(float x) { return x * x + 1.0; }
float g(float x) { return f(x) - f(x + 1.0); }
float h(float x) { return g(f(x)) + g(x); }

void main()
{
    o = vec4(h(v.w), g(v.y), f(v.x), 0.0);
}
