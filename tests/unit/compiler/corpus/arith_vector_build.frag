#version 450
// out@0 2.0 -2.0 0.0 0.0
// out@3 2.0 -1.25 3.0 3.0
// out@6 2.0 -0.5 6.0 6.0
// out@9 2.0 0.25 9.0 9.0
// out@15 2.0 1.75 15.0 15.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    vec2 a = v.yx;
    vec3 b = vec3(a, 2.0);
    o = vec4(b.zx, vec2(b.y));
}
