#version 450
// out@0 0.0
// out@3 3.0
// out@6 6.0
// out@9 0.5
// out@15 3.5
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float r = 1.0;
    if (v.x > 6.5)
        r = v.y * 2.0;
    else
        r = v.x;
    o = vec4(r);
}
