#version 450
// out@0 7.0
// out@3 111.0
// out@6 110.0
// out@9 100.0
// out@15 111.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float r = 0.0;
    switch (int(v.x) & 3) {
    case 3: r += 1.0;
    case 2: r += 10.0;
    case 1: r += 100.0; break;
    default: r = 7.0;
    }
    o = vec4(r);
}
