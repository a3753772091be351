#version 450
// Tables as arguments. One is changed in a function, and one variable holds two tables in turn: neither of these
// is a table of constants.
// out@0 0.0 106.0 0.0 31.0
// out@3 36.0 104.0 21.0 27.0
// out@6 20.0 102.0 19.0 23.0
// out@9 33.0 100.0 16.0 19.0
// out@15 30.0 119.0 17.0 11.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
const float a[24] = float[](
    0.0, 7.0, 14.0, 21.0, 5.0, 12.0, 19.0, 3.0,
    10.0, 17.0, 1.0, 8.0, 15.0, 22.0, 6.0, 13.0,
    20.0, 4.0, 11.0, 18.0, 2.0, 9.0, 16.0, 0.0);
const float b[24] = float[](
    0.0, 5.0, 10.0, 15.0, 20.0, 25.0, 1.0, 6.0,
    11.0, 16.0, 21.0, 26.0, 2.0, 7.0, 12.0, 17.0,
    22.0, 27.0, 3.0, 8.0, 13.0, 18.0, 23.0, 28.0);
float look(float t[24], int i) { return t[i]; }
float look_deeper(float t[24], int i) { float u[24] = t; return look(u, i) + look(t, i - 5); }
void change(inout float t[24], int i) { t[i] = 99.0; }
void fill(out float t[24], bool first)
{
    if (first)
        t = a;
    else
        t = b;
}
void main()
{
    int i = int(v.x);
    float changed[24] = a, chosen[24];
    change(changed, i);
    fill(chosen, i < 8);
    o = vec4(look(a, i) + look(b, i), changed[(i + 1) % 24] + changed[i], chosen[i], look_deeper(a, i + 8));
}
