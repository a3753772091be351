#version 450
// cpu more live values than registers: an array of seventy-two words, each made from others, with dynamic index
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 c;
layout(location = 1) out vec4 d;
void main()
{
    vec4 a[18];
    a[0] = v;
    for (int i = 1; i < 18; i++)
        a[i] = fract(a[i - 1].yzwx * v + a[i - 1] * 0.5);
    int k = int(v.x);
    a[k] = v.wzyx;
    gl_Position = vec4(v.xy * 0.01, 0.5, 1.0);
    c = a[(k * 3) % 18];
    d = a[17 - k] + a[(k * 5 + 2) % 18];
}
