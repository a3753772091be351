#version 450
// out@0 1.0 40.0 5.0
// out@2 3.0 20.0 5.0
// out@3 4.0 10.0 99.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
const float table[4] = float[](1.0, 2.0, 3.0, 4.0);
void main() {
  int i = int(v.x) & 3;
  float a[4]; for (int k = 0; k < 4; k++) a[k] = 10.0 * float(4 - k);
  vec4 w = vec4(5.0); w[i] = 99.0;
  mat2 m = mat2(1, 2, 3, 4); m[i & 1][i >> 1] = 7.0;
  o = vec4(table[i], a[i], w.w, m[i & 1][i >> 1]);
}
