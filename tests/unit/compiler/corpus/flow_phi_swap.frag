#version 450
// out@0 -1.0 2.0
// out@3 -0.25 5.0
// out@6 0.5 8.0
// out@9 1.25 11.0
// out@15 2.75 17.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float a = v.x, b = v.y;
    for (int i = 0; i < 3; i++) {
        float t = a;
        a = b;
        b = t + 1.0;
    }
    o = vec4(a, b, 0.0, 0.0);
}
