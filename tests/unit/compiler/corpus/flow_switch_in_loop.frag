#version 450
// out@0 4212.0
// out@3 4311.0
// out@6 5421.0
// out@9 5322.0
// out@15 4311.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float r = 0.0;
    for (int i = 0; i < 6; i++) {
        switch ((i + int(v.x)) % 4) {
        case 0: continue;
        case 1: r += 1.0; break;
        case 2: r += 10.0;
        default: r += 100.0;
        }
        r += 1000.0;
    }
    o = vec4(r);
}
