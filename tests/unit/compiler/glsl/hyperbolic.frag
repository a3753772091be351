#version 450
// push 0.5 1.5 -1.0 0.4
// out 0.52109531 2.35240962 -0.76159416 0.42364893
layout(push_constant) uniform P { vec4 p; };
layout(location = 0) out vec4 o;
void main() { o = vec4(sinh(p.x), cosh(p.y), tanh(p.z), atanh(p.w)); }
