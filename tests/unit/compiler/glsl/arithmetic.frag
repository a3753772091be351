#version 450
// push 3.0 4.0 0.5 -2.0
// out 7.0 -1.0 12.0 0.75
layout(push_constant) uniform P { vec4 p; };
layout(location = 0) out vec4 o;
void main() { o = vec4(p.x + p.y, p.x - p.y, p.x * p.y, p.x / p.y); }
