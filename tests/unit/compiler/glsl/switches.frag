#version 450
// out@0 10.0
// out@1 21.0
// out@2 20.0
// out@3 30.0
// out@4 99.0
// out@5 50.0
// out@6 60.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main() {
  float r = 0.0;
  switch (int(v.x)) {
  case 0: r = 10.0; break;
  case 1: r += 1.0;
  case 2: r += 20.0; break;
  case 3: case 7: r = 30.0; break;
  case 5: if (v.y < 0.0) { r = 50.0; break; } r = 51.0; break;
  case 6: for (int i = 0; i < 6; i++) { if (i == 9) break; r += 10.0; } break;
  default: r = 99.0;
  }
  o = vec4(r);
}
