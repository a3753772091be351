#version 450
// out 7.0 12.0 3.0 1.0
layout(constant_id = 1) const int N = 3;
layout(constant_id = 2) const float F = 4.0;
layout(constant_id = 3) const bool B = true;
const int M = N * 2 + 1;
layout(location = 0) out vec4 o;
void main() { float a[N]; for (int i = 0; i < N; i++) a[i] = F; float s = 0.0; for (int i = 0; i < a.length(); i++) s += a[i]; o = vec4(float(M), s, float(a.length()), B ? 1.0 : 0.0); }
