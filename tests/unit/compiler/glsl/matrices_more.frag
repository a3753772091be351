#version 450
// push 2.0 3.0 4.0 5.0
// out 1.0 1.0 1.0 60.0
layout(push_constant) uniform P { vec4 p; };
layout(location = 0) out vec4 o;
void main() {
  mat4 m = mat4(p.x, 1, 0, 2,  0, p.y, 1, 0,  3, 0, p.z, 0,  0, 2, 0, p.w);
  mat4 e = m * inverse(m), t = transpose(transpose(m));
  mat3 d = mat3(2.0); d[1][1] = 5.0; d[2][2] = 6.0;
  float err = 0.0;
  for (int c = 0; c < 4; c++) for (int r = 0; r < 4; r++) err += abs(e[c][r] - (c == r ? 1.0 : 0.0));
  o = vec4(err < 1e-4 ? 1.0 : err, t == m ? 1.0 : 0.0, outerProduct(vec2(1, 2), vec2(0.5, 3))[0][1], determinant(d));
}
