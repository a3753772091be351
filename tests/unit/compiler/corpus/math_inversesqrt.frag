#version 450
// out@0 1.4142136
// out@3 0.5345225
// out@6 0.3922323
// out@9 0.3244428
// out@15 0.2540003
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float x = v.x;
    o = vec4(inversesqrt(x + 0.5), 0.0, 0.0, 0.0);
}
