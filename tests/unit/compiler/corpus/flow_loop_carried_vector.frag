#version 450
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    vec4 a = v;
    for (int i = 0; i < 4; i++)
        a = a.wxyz + vec4(1.0, 0.0, 0.0, float(i));
    o = a;
}
