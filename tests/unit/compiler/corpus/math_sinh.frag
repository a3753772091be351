#version 450
// out@0 -3.6268604
// out@3 -1.6019191
// out@6 -0.5210953
// out@9 0.2526123
// out@15 2.7904144
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float y = v.y;
    o = vec4(sinh(y), 0.0, 0.0, 0.0);
}
