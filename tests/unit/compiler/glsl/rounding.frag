#version 450
// push -2.5 2.5 3.5 -0.75
// out -3.0 3.0 4.0 0.25
layout(push_constant) uniform P { vec4 p; };
layout(location = 0) out vec4 o;
void main() { o = vec4(floor(p.x), ceil(p.y), roundEven(p.z), fract(p.w)); }
