#version 450
// push 6
// out 0.25 0.5 0.75 1.0
layout(push_constant) uniform P { int n; };
layout(location = 0) out vec4 o;
void main()
{
    o = vec4(0.25, 0.5, 0.75, 1.0);
    if (n == 7)
        discard;
}
