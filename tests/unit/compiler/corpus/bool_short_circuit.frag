#version 450
// out@0 1.0 1.0 1.0 1.0
// out@3 1.0 1.0 1.0 1.0
// out@6 111.0 111.0 111.0 111.0
// out@9 111.0 111.0 111.0 111.0
// out@15 111.0 111.0 111.0 111.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    int n = 0;
    if (v.x > 5.0 || n++ < 0) n += 10;
    if (v.x > 5.0 && n++ > 0) n += 100;
    o = vec4(float(n));
}
