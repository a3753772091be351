#version 450
// push 1.0 -1.0 0.0 0.0
// out 1.0 1.0 0.70710678 -1.0
layout(push_constant) uniform P { vec4 p; };
layout(location = 0) out vec4 o;
void main() { vec3 n = vec3(0, 1, 0), i = p.xyz; vec3 r = reflect(i, n), t = refract(normalize(i), n, 1.0), f = faceforward(n, -i, n);
  o = vec4(r.xy, t.x, f.y); }
