#version 450
// push 0x80000000 1 -1.0 2.0
// out 1.0 0.0 1.0 1.0
layout(push_constant) uniform P { uint a, b; float c, d; };
layout(location = 0) out vec4 o;
void main() { o = vec4(a > b, int(a) > int(b), c < d && d >= 2.0, all(notEqual(vec2(c, d), vec2(d, c)))); }
