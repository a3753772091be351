#version 450
// push 0.5 -0.3 2.0 -1.0
// out 0.52359878 1.87548898 1.10714872 2.67794504
layout(push_constant) uniform P { vec4 p; };
layout(location = 0) out vec4 o;
void main() { o = vec4(asin(p.x), acos(p.y), atan(p.z), atan(1.0, -p.z)); }
