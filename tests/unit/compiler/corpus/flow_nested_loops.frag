#version 450
// out@0 16.0
// out@3 25.0
// out@6 16.0
// out@9 25.0
// out@15 25.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float r = 0.0;
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 4; j++)
            r += float(i * j) + v.w;
    o = vec4(r);
}
