#version 450
// out@0 5.0
// out@3 6.0
// out@6 7.0
// out@9 8.0
// out@15 8.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float r = -1.0;
    switch (int(v.x)) {
    case 0: r = 5.0; break;
    case 3: r = 6.0; break;
    case 6: r = 7.0; break;
    default: r = 8.0; break;
    }
    o = vec4(r);
}
