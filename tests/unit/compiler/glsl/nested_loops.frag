#version 450
// out@0 0.0
// out@4 10.0
// out@9 17.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
float f(int n) {
  float s = 0.0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) { if (i == 5 && j == 2) return s; s += 1.0; }
  }
  return s;
}
void main() { o = vec4(f(int(v.x))); }
