#version 450
// push 0xffffffff
// out 2.0
layout(push_constant) uniform P { uint n; };
layout(location = 0) out vec4 o;
void main()
{
    float r = 0.0;
    switch (n) {
    case 1u: r = 1.0; break;
    case 0xffffffffu: r = 2.0; break;
    default: r = 3.0;
    }
    o = vec4(r);
}
