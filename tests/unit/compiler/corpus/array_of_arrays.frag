#version 450
// out@0 2.0 10.0 0.0 23.0
// out@3 13.0 12.0 1.0 23.0
// out@6 2.0 10.0 0.0 23.0
// out@9 13.0 12.0 1.0 23.0
// out@15 13.0 12.0 1.0 23.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float a[2][3];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            a[i][j] = float(i * 10 + j) + v.w;
    int k = int(v.x) & 1;
    o = vec4(a[k][2], a[1][k], a[0][0], float(a.length() * 10 + a[0].length()));
}
