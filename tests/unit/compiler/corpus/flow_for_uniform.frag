#version 450
// push 6
// out@0 15.0
// out@3 33.0
// out@6 51.0
// out@9 69.0
// out@15 105.0
layout(location = 0) in vec4 v;
layout(push_constant) uniform P { int n; };
layout(location = 0) out vec4 o;
void main()
{
    float r = 0.0;
    for (int i = 0; i < n; i++)
        r += v.x + float(i);
    o = vec4(r);
}
