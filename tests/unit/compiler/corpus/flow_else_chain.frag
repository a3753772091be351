#version 450
// out@0 10.0
// out@3 20.0
// out@6 30.0
// out@9 40.0
// out@15 40.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float r;
    if (v.x < 2.0) r = 10.0;
    else if (v.x < 5.0) r = 20.0;
    else if (v.x < 9.0) r = 30.0;
    else r = 40.0;
    o = vec4(r);
}
