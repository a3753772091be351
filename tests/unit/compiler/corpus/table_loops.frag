#version 450
// Loops over a table: known numbers of iterations leave no lookups.
// out@0 16 0 809 1
// out@3 16 7 809 4
// out@6 16 45 809 8
// out@9 16 54 809 2
// out@15 16 106 809 1
layout(location = 0) in vec4 v;
layout(location = 0) out ivec4 o;
const int t[24] = int[](
    1, 4, 6, 4, 1, 2, 8, 12, 8, 2, 3, 12,
    18, 12, 3, 1, 1, 2, 3, 5, 8, 13, 21, 34);
void main()
{
    int i = int(v.x), a = 0, b = 0, c = 0;
    for (int k = 0; k < 5; k++)
        a += t[k];
    for (int k = 0; k < i; k++)
        b += t[(k + i) % 24];
    for (int k = 0; k < 12; k++)
        c += t[2 * k] * t[23 - k];
    o = ivec4(a, b, c, t[i]);
}
