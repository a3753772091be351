#version 450
// push 1.0 2.0 3.0 4.0
// out 7.0 10.0 -2.0 -2.0
layout(push_constant) uniform P { vec4 p; };
layout(location = 0) out vec4 o;
void main() { mat2 m = mat2(p.x, p.y, p.z, p.w); vec2 a = m * vec2(1.0, 2.0); vec2 b = vec2(1.0, 2.0) * m; mat2 i = inverse(m);
  o = vec4(a.x, a.y, determinant(m), i[0][0]); }
