#version 450
layout(location = 0) in vec4 a;
layout(location = 0) out vec4 c;
void main()
{
    gl_Position = vec4(a.xy * 0.0625, 0.5, 1.0);
    c = vec4(float(gl_InstanceIndex) * 0.25 + 0.25);
}
