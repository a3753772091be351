#version 450
layout(location = 0) in vec4 a;
layout(location = 0) out B { vec4 x; vec2 y; layout(location = 3) vec3 z; } c;
void main()
{
    gl_Position = vec4(a.xy * 0.0625, 0.5, 1.0);
    c.x = a;
    c.y = a.zw;
    c.z = a.wyx;
}
