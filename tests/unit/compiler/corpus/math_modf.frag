#version 450
// out@0 -0.0 -6.0
// out@3 -0.75 -3.0
// out@6 -0.5 -1.0
// out@9 0.75 0.0
// out@15 0.25 5.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float whole;
    float part = modf(v.y * 3.0, whole);
    o = vec4(part, whole, 0.0, 0.0);
}
