#version 450
layout(location = 0) in ivec4 a;
layout(location = 0) out vec4 c;
void main()
{
    int q = a.x / 7, r = a.y % 5;
    gl_Position = vec4(float(q & 7) * 0.125, float(r) * 0.125, 0.5, 1.0);
    c = vec4(float(bitCount(a.x)) / 32.0, float(findMSB(a.y)) / 32.0, 0.0, 1.0);
}
