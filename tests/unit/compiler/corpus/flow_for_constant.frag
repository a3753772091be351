#version 450
// out@0 0.0
// out@3 30.0
// out@6 60.0
// out@9 90.0
// out@15 150.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float r = 0.0;
    for (int i = 0; i < 5; i++)
        r += v.x * float(i);
    o = vec4(r);
}
