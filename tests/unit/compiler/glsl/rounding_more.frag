#version 450
// push -2.5 2.5 1.0e20 0.5
// out -2.0 2.0 1.0e20 0.0
layout(push_constant) uniform P { vec4 p; };
layout(location = 0) out vec4 o;
void main() { o = vec4(trunc(p.x), roundEven(p.y), floor(p.z), roundEven(p.w)); o.z = floor(p.z); }
