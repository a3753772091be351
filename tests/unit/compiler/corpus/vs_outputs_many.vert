#version 450
layout(location = 0) in vec4 a;
layout(location = 0) out vec4 c0;
layout(location = 1) out vec4 c1;
layout(location = 2) out vec4 c2;
layout(location = 3) out vec4 c3;
layout(location = 4) out vec4 c4;
layout(location = 5) out vec4 c5;
layout(location = 6) out vec4 c6;
void main()
{
    gl_Position = vec4(a.xy * 0.0625, 0.5, 1.0);
    c0 = a * 0.5;
    c1 = a * 1.5;
    c2 = a * 2.5;
    c3 = a * 3.5;
    c4 = a * 4.5;
    c5 = a * 5.5;
    c6 = a * 6.5;
}
