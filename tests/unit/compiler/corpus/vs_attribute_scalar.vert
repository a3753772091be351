#version 450
layout(location = 0) in float a;
layout(location = 1) in vec2 b;
layout(location = 2) in vec3 d;
layout(location = 0) out vec4 c;
void main()
{
    gl_Position = vec4(a * 0.0625, b.y * 0.0625, 0.5, 1.0);
    c = vec4(d * 0.125, b.x);
}
