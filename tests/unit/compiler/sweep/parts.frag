#version 450
layout(location = 0) in vec4 x;
layout(location = 1) in vec4 y;
layout(location = 0) out vec4 color;
void main()
{
    float whole;
    int exponent;
    color.x = modf(x.x, whole);
    color.y = frexp(x.y, exponent) + float(exponent) * 4.0;
    color.z = ldexp(x.z, int(y.z));
    modf(x.w, whole);
    color.w = whole;
}
