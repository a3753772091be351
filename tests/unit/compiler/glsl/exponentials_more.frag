#version 450
// push 1.0 0.0 200.0 -200.0
// out 2.71828183 0.0 1.0 0.0
layout(push_constant) uniform P { vec4 p; };
layout(location = 0) out vec4 o;
void main() { o = vec4(exp(p.x), log(p.x), exp2(p.z) > 1e38 ? 1.0 : 0.0, exp2(p.w)); }
