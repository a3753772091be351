#version 450
// out@0 1.0 0.0
// out@3 1.0 2.0
// out@6 0.875 3.0
// out@9 0.625 4.0
// out@15 1.0 4.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float r = v.x + 1.0;
    int n = 0;
    while (r > 1.0) {
        r *= 0.5;
        n++;
    }
    o = vec4(r, float(n), 0.0, 0.0);
}
