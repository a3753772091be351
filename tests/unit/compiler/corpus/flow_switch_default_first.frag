#version 450
// out@0 2.0
// out@3 1.0
// out@6 3.0
// out@9 3.0
// out@15 1.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float r = 0.0;
    switch (int(v.x) - 5) {
    default: r = 1.0; break;
    case -5: r = 2.0; break;
    case 1: case 4: r = 3.0;
    }
    o = vec4(r);
}
