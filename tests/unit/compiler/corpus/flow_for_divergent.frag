#version 450
// out@0 0.0
// out@3 1.5
// out@6 7.5
// out@9 18.0
// out@15 52.5
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float r = 0.0;
    for (int i = 0; i < int(v.x); i++)
        r += float(i) * 0.5;
    o = vec4(r);
}
