#version 450
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    vec3 a[3] = vec3[3](v.xyz, v.yzw, vec3(7.0));
    int i = int(v.x) % 3;
    o = vec4(a[i], a[i].y + a[2 - i].x);
}
