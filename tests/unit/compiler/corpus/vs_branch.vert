#version 450
layout(location = 0) in vec4 a;
layout(location = 0) out vec4 c;
void main()
{
    gl_Position = vec4(a.xy * 0.0625, 0.5, 1.0);
    if (a.x > 5.0)
        c = vec4(1.0, 0.5, 0.0, 1.0);
    else
        c = a.w > 0.5 ? vec4(0.25) : vec4(0.75);
}
