#version 450
// push 0.5 10.0 3.0 -4.5
// out 1.41421356 3.32192809 1000.0 0.04419417
layout(push_constant) uniform P { vec4 p; };
layout(location = 0) out vec4 o;
void main() { o = vec4(exp2(p.x), log2(p.y), pow(p.y, p.z), exp2(p.w)); }
