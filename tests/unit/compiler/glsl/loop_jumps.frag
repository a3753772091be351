#version 450
// push 100
// out@0 0.0 1.0
// out@7 16.0 9.0
layout(push_constant) uniform P { int limit; };
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main() {
  float s = 0.0; int n = int(v.x), i = 0, k = 0;
  for (i = 0; i < limit; i++) { k++; if ((i & 1) == 0) continue; if (i > n) break; s += float(i); }
  do { k++; } while (k < 3);
  o = vec4(s, float(i == n + 1 ? i + 1 : i), 0, 0); o.y = n == 7 ? float(i) : 1.0;
}
