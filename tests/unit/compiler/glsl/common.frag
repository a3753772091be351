#version 450
// push 2.0 -3.0 0.25 8.0
// out -2.5 0.15625 1.0 -1.0
layout(push_constant) uniform P { vec4 p; };
layout(location = 0) out vec4 o;
void main() { o = vec4(mix(-4.0, p.x, p.z), smoothstep(0.0, 1.0, p.z), step(p.x, p.w), sign(p.y)); }
