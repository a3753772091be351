#version 450
// push 1.0 2.0 3.0 4.0
// out 4.0 3.0 2.0 9.0
layout(push_constant) uniform P { vec4 p; };
layout(location = 0) out vec4 o;
void main() { vec4 v = p.wzyx; v.zw = v.wz; vec3 s = v.xyz + vec3(v.ww, 0.0); o = vec4(p.w, v.y, v.w, 0.0); o.w = dot(s, vec3(1.0, 1.0, 1.0)) - 3.0; o.w = 9.0; }
