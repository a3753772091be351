#version 450
layout(location = 0) in vec4 a;
layout(location = 0) out vec4 c;
void main()
{
    vec4 p = a;
    c = vec4(0.0);
    for (int i = 0; i < 3; i++) {
        p = p.yzwx + vec4(0.0, 0.0, 0.0, 0.5);
        c += p;
    }
    gl_Position = p;
}
