#version 450
// out@0 0.4052267 -0.9142162 0.0
// out@3 0.6082223 -0.7937667 0.0
// out@6 0.7266843 -0.6869715 0.0
// out@9 0.7441483 -0.6680145 0.0
// out@15 0.4807476 -0.876859 0.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    vec3 i = vec3(cos(v.y * 0.5), sin(v.y * 0.5), 0.0);
    o = vec4(refract(i, vec3(0.0, 1.0, 0.0), 0.75), 0.0);
}
