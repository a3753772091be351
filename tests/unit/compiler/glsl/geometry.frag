#version 450
// push 1.0 2.0 2.0 0.0
// out 3.0 0.66666667 1.0 1.41421356
layout(push_constant) uniform P { vec4 p; };
layout(location = 0) out vec4 o;
void main() { vec3 v = p.xyz; o = vec4(length(v), normalize(v).y, cross(vec3(1,0,0), vec3(0,1,0)).z, distance(p.xy, vec2(0.0, 1.0))); }
