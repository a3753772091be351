#version 450
// The index is the same for the whole draw: the words of a small table are chosen on the CPU.
// push 5 29
// out@0 24 24 3 4
// out@3 24 24 5 4
// out@6 24 24 7 4
// out@9 24 24 9 4
// out@15 24 24 13 4
layout(push_constant) uniform P { int i, j; };
layout(location = 0) in vec4 v;
layout(location = 0) out ivec4 o;
const int t[40] = int[](
    0, 11, 22, 2, 13, 24, 4, 15, 26, 6,
    17, 28, 8, 19, 30, 10, 21, 1, 12, 23,
    3, 14, 25, 5, 16, 27, 7, 18, 29, 9,
    20, 0, 11, 22, 2, 13, 24, 4, 15, 26);
const ivec2 p[12] = ivec2[](
    ivec2(0, 11), ivec2(22, 2), ivec2(13, 24), ivec2(4, 15), ivec2(26, 6), ivec2(17, 28),
    ivec2(8, 19), ivec2(30, 10), ivec2(21, 1), ivec2(12, 23), ivec2(3, 14), ivec2(25, 5));
void main()
{
    o = ivec4(t[i], t[j] + p[i - 2].y, t[int(v.x) + 20], p[j - 26].x);
}
