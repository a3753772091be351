#version 450
// push 1.0 -2.5 0.3 7.0
// out 0.84147098 -0.80114362 0.30933625 0.75390225
layout(push_constant) uniform P { vec4 p; };
layout(location = 0) out vec4 o;
void main() { o = vec4(sin(p.x), cos(p.y), tan(p.z), cos(p.w)); }
