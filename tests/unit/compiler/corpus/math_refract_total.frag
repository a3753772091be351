#version 450
// out@0 0.8104535 -0.585803 0.0
// out@4 0.0 0.0 0.0
// out@9 0.0 0.0 0.0
// out@15 0.9614953 -0.2748214 0.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    vec3 i = vec3(cos(v.y * 0.5), sin(v.y * 0.5), 0.0);
    o = vec4(refract(i, vec3(0.0, 1.0, 0.0), 1.5), 0.0);
}
