#version 450
// Sorts thirty-two values.
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float a[32];
    for (int i = 0; i < 32; i++)
        a[i] = fract(v.x * 0.3671875 * float(i + 1) + v.y);
    for (int k = 0; k < 8; k++) {
        for (int i = k & 1; i < 31; i += 2) {
            float low = min(a[i], a[i + 1]);
            a[i + 1] = max(a[i], a[i + 1]);
            a[i] = low;
        }
    }
    o = vec4(a[0], a[7], a[15], a[31]);
}
