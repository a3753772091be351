#version 450
layout(location = 0) in vec4 a;
layout(location = 1) in vec4 b;
layout(location = 3) in vec2 c;
layout(location = 4) in vec3 d;
layout(location = 0) out vec4 o;
void main()
{
    o = a * 0.0625 + b * 0.05 + vec4(c, d.xy) * 0.1;
}
