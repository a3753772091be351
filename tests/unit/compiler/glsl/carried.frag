#version 450
// Values that are set in one loop iteration and undefined before it.
// push 4
// out@0 0.0 0.0 0.0 0.0
// out@1 1.0 0.5 0.25 0.125
// out@8 8.0 4.0 2.0 1.0
layout(push_constant) uniform P { int rounds; };
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float a[4], x = v.x;
    for (int i = 0; i < rounds; i++) {
        a[i] = x;
        x *= 0.5;
    }
    o = vec4(a[0], a[1], a[2], a[3]);
}
