#version 450
layout(location = 0) in vec4 a;
layout(location = 0) out vec4 c;
void main()
{
    float r = 0.0;
    for (int i = 0; i < int(a.x); i++)
        r += 0.0625;
    gl_Position = vec4(a.xy * 0.0625, 0.5, 1.0);
    c = vec4(r);
}
