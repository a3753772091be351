#version 450
// push 2.0 0.0 9.0 0.25
// out 1.41421356 0.0 0.33333333 2.0
layout(push_constant) uniform P { vec4 p; };
layout(location = 0) out vec4 o;
void main() { o = vec4(sqrt(p.x), sqrt(p.y), inversesqrt(p.z), inversesqrt(p.w)); }
