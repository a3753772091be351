#version 450
// out@0 2.0
// out@3 2.0
// out@6 4.0
// out@9 6.0
// out@15 10.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float r = 0.0;
    int i = int(v.x);
    do {
        r += 2.0;
        i -= 3;
    } while (i > 0);
    o = vec4(r);
}
