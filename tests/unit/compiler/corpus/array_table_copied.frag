#version 450
// A constant table passed by value to a function: neither the table nor the copy needs memory.
// out@0 0.0 8.0 0.0 1.0
// out@2 4.0 27.0 2.0 1.0
// out@5 25.0 22.0 61.0 1.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
const float table[70] = float[](
0.0, 1.0, 4.0, 9.0, 16.0, 25.0, 36.0, 49.0, 64.0, 81.0, 3.0, 24.0, 47.0, 72.0, 2.0, 31.0, 62.0, 95.0, 33.0,
70.0, 12.0, 53.0, 96.0, 44.0, 91.0, 43.0, 94.0, 50.0, 8.0, 65.0, 27.0, 88.0, 54.0, 22.0, 89.0, 61.0, 35.0,
11.0, 86.0, 66.0, 48.0, 32.0, 18.0, 6.0, 93.0, 85.0, 79.0, 75.0, 73.0, 73.0, 75.0, 79.0, 85.0, 93.0, 6.0,
18.0, 32.0, 48.0, 66.0, 86.0, 11.0, 35.0, 61.0, 89.0, 22.0, 54.0, 88.0, 27.0, 65.0, 8.0);
float look(float t[70], int i) { return t[i]; }
void main() {
  int i = clamp(int(v.x), 0, 9);
  o = vec4(look(table, i), look(table, 69 - i), look(table, i * 7), 1.0);
}
