#version 450
// out@0 0.0
// out@3 2.0634371
// out@6 2.6339158
// out@9 2.9932228
// out@15 3.4647579
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float x = v.x;
    o = vec4(acosh(x + 1.0), 0.0, 0.0, 0.0);
}
