#version 450
// cpu more live values than registers: eighteen vectors that a loop changes
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
layout(push_constant) uniform P { int n; };
void main()
{
    vec4 a[18];
    for (int i = 0; i < 18; i++)
        a[i] = v * float(i + 1);
    for (int k = 0; k < n + 4; k++) {
        vec4 first = a[0];
        for (int i = 0; i < 17; i++)
            a[i] = fract(a[i] * 0.5 + a[i + 1] * 0.25);
        a[17] = fract(a[17] + first * 0.125);
    }
    vec4 sum = vec4(0.0);
    for (int i = 0; i < 18; i++)
        sum += a[i];
    o = sum / 18.0;
}
