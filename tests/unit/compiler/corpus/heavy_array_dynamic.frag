#version 450
// cpu more live values than registers: an array of eighty words with dynamic index
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    vec4 a[20];
    for (int i = 0; i < 20; i++)
        a[i] = v * float(i) * 0.01;
    int k = int(v.x);
    a[k] = v.wzyx * 0.125;
    a[19 - k] += vec4(0.25);
    o = abs(a[(k * 3) % 20] + a[(k * 7 + 1) % 20]) * 0.25;
}
