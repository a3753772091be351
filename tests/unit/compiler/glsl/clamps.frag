#version 450
// push 5 -7 0xfffffff0 2.5
// out 3 -2 16 1.0
layout(push_constant) uniform P { int a, b; uint c; float d; };
layout(location = 0) out vec4 o;
void main() { o = vec4(intBitsToFloat(clamp(a, -2, 3)), intBitsToFloat(max(b, -2)), uintBitsToFloat(min(c, 16u)), clamp(d, 0.0, 1.0)); }
