#version 450
// differs in OpSMod of negative numbers, where the reference gives the remainder of C
// out@6 125 0 8000 -335
// out@9 363 7 44000 -1335
// out@15 588 4 170000 -3335
layout(location = 0) in vec4 v;
layout(location = 0) out ivec4 o;
void main()
{
    int a = int(v.x) * 1000 - 5000, b = int(v.x) + 2;
    o = ivec4(a / b, a % b, a * b, (a + 7) / -3);
}
