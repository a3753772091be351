#version 450
// push 0.5 1.0 1.5 2.0 2.5 3.0 3.5 4.0 4.5 5.0 5.5 6.0 6.5 7.0 7.5 8.0
// out@0 0.5 8.0
// out@3 2.0 6.5
// out@6 3.5 5.0
// out@9 5.0 3.5
// out@15 8.0 0.5
layout(location = 0) in vec4 v;
layout(push_constant) uniform P { float a[16]; };
layout(location = 0) out vec4 o;
void main()
{
    o = vec4(a[int(v.x)], a[15 - int(v.x)], 0.0, 0.0);
}
