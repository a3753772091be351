#version 450
// out@0 19.0
// out@3 19.0
// out@6 19.0
// out@9 19.0
// out@15 19.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float r = 0.0;
    for (int i = 0; i < 8; i++) {
        if ((i + int(v.x)) % 3 == 0)
            continue;
        r += float(i);
    }
    o = vec4(r);
}
