#version 450
// A dynamically indexed array of seventy-two words, which are rematerialised where one of them is selected.
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 c;
layout(location = 1) out vec4 d;
void main()
{
    vec4 a[18];
    for (int i = 0; i < 18; i++)
        a[i] = v * float(i + 1) + float(i);
    int k = int(v.x);
    a[k] = v.wzyx;
    gl_Position = vec4(v.xy * 0.01, 0.5, 1.0);
    c = a[(k * 3) % 18];
    d = a[17 - k] + a[(k * 5 + 2) % 18];
}
