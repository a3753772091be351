#version 450
// Arrays of arrays, with variable and constant indices in turn.
// out@0 -7 24 -2 7
// out@3 41 24 46 7
// out@6 24 24 29 22
// out@9 12 24 17 37
// out@15 38 24 43 52
layout(location = 0) in vec4 v;
layout(location = 0) out ivec4 o;
const int t[4][3][5] = int[][][](
    int[][](int[](-7, -6, -5, -4, -3), int[](-2, -1, 0, 1, 2), int[](3, 4, 5, 6, 7)),
    int[][](int[](8, 9, 10, 11, 12), int[](13, 14, 15, 16, 17), int[](18, 19, 20, 21, 22)),
    int[][](int[](23, 24, 25, 26, 27), int[](28, 29, 30, 31, 32), int[](33, 34, 35, 36, 37)),
    int[][](int[](38, 39, 40, 41, 42), int[](43, 44, 45, 46, 47), int[](48, 49, 50, 51, 52)));
void main()
{
    int i = int(v.x);
    o = ivec4(t[i % 4][i % 3][i % 5], t[2][i % 3][1], t[i % 4][1][i % 5], t[i / 4][2][4]);
}
