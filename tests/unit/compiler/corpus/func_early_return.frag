#version 450
// out@0 1.0
// out@3 2.0
// out@6 4.0
// out@9 4.0
// out@15 10.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
float f(float x)
{
    if (x < 3.0)
        return 1.0;
    if (x < 6.0) {
        if (x < 5.0)
            return 2.0;
        return 3.0;
    }
    for (int i = 0; i < 3; i++)
        if (x > 12.0 + float(i))
            return 10.0 + float(i);
    return 4.0;
}

void main()
{
    o = vec4(f(v.x));
}
