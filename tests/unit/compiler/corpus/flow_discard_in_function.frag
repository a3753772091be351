#version 450
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
float check(float x)
{
    if (x > 9.0)
        discard;
    return x * 0.0625;
}

void main()
{
    o = vec4(check(v.x));
}
