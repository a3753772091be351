#version 450
// A table of 64-bit floats.
// out@0 19.5 1.0
// out@3 24.0 1.0
// out@6 28.5 1.0
// out@9 33.0 1.0
// out@15 42.0 1.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec2 o;
const double t[20] = double[](
    -3.0lf, -1.5lf, 0.0lf, 1.5lf, 3.0lf,
    4.5lf, 6.0lf, 7.5lf, 9.0lf, 10.5lf,
    12.0lf, 13.5lf, 15.0lf, 16.5lf, 18.0lf,
    19.5lf, 21.0lf, 22.5lf, 24.0lf, 25.5lf);
void main() { o = vec2(float(t[int(v.x)] * 2.0lf + t[19 - int(v.x)]), 1.0); }
