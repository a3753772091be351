#version 450
layout(location = 0) in ivec4 a;
layout(location = 0) out vec4 c;
void main()
{
    gl_Position = vec4(vec2(a.xy & 15) * 0.0625, 0.5, 1.0);
    c = vec4(a & 255) / 255.0;
}
