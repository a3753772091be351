#version 450
// push 4
// out 5.0 5.0
layout(push_constant) uniform P { int n; };
layout(location = 0) out vec4 o;
void main()
{
    float r = 1.0;
    if (n > 3)
        r = 5.0;
    if (n < 3)
        r = 9.0;
    o = vec4(r);
}
