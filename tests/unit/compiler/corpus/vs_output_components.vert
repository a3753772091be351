#version 450
layout(location = 0) in vec4 a;
layout(location = 0) out vec3 b;
layout(location = 0, component = 3) out float d;
void main()
{
    gl_Position = vec4(a.xy * 0.0625, 0.5, 1.0);
    b = a.zyx;
    d = a.w;
}
