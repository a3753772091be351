#version 450
// out@0 0.0 -2.0 0.0 1.0
// out@3 3.0 -1.25 1.0 1.0
// out@6 6.0 -0.5 0.0 1.0
// out@9 9.0 0.25 1.0 1.0
// out@15 15.0 1.75 1.0 1.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec2 a;
layout(location = 0, component = 2) out vec2 b;
void main()
{
    a = v.xy;
    b = v.wz;
}
