#version 450
// out@0 1.0 1.0
// out@3 2.0 5.0
// out@6 3.0 9.0
// out@9 4.0 -1.0
// out@15 6.0 -1.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
float find(float x)
{
    for (int i = 1; i < 10; i++)
        if (float(i * 3) > x)
            return float(i);
    return -1.0;
}

void main()
{
    o = vec4(find(v.x), find(v.x * 4.0), 0.0, 0.0);
}
