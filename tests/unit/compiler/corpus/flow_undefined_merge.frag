#version 450
// out@0 3.0 3.0
// out@3 3.0 3.0
// out@6 3.0 3.0
// out@9 4.0 0.0
// out@15 4.0 0.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float a;
    if (v.x < 8.0)
        a = 3.0;
    else
        a = 4.0;
    float b;
    if (v.x < 8.0)
        b = a;
    o = vec4(a, v.x < 8.0 ? b : 0.0, 0.0, 0.0);
}
