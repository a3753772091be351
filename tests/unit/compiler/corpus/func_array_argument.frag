#version 450
// out@0 5.0
// out@3 8.75
// out@6 12.5
// out@9 16.25
// out@15 23.75
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
float sum(float a[4])
{
    float r = 0.0;
    for (int i = 0; i < 4; i++)
        r += a[i];
    return r;
}

void main()
{
    float a[4] = float[4](v.x, v.y, 3.0, 4.0);
    o = vec4(sum(a));
}
