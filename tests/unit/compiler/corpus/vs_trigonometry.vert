#version 450
layout(location = 0) in vec4 a;
layout(location = 0) out vec4 c;
void main()
{
    float s = sin(a.x), k = cos(a.x);
    gl_Position = vec4(mat2(k, s, -s, k) * a.yz, 0.5, 1.0);
    c = vec4(k, s, 0.0, 1.0);
}
