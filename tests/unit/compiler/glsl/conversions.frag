#version 450
// push -3.75 3000000000.0 -5 4000000000
// out -3.0 1.0 -5.0 4000000000.0
layout(push_constant) uniform P { float a, b; int c; uint d; };
layout(location = 0) out vec4 o;
void main() { o = vec4(int(a), uint(b) == 3000000000u ? 1.0 : 0.0, float(c), float(d)); }
