#version 450
// out@0 3.0 6.0
// out@3 12.0 12.0
// out@6 21.0 18.0
// out@9 30.0 24.0
// out@15 48.0 36.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void bump(inout float a, out float b, in float c)
{
    b = a + c;
    a *= 2.0;
}

void main()
{
    float a = v.x, b = -1.0;
    bump(a, b, 3.0);
    bump(b, a, a);
    o = vec4(a, b, 0.0, 0.0);
}
