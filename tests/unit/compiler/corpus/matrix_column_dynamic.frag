#version 450
layout(push_constant) uniform P { mat4 m; };
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    mat4 a = m;
    a[int(v.x) & 3] = v;
    o = a[2] + a[3][int(v.w)];
}
