#version 450
// out@0 0.0
// out@3 50.0
// out@6 1.0
// out@9 50.0
// out@15 50.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float r = 0.0;
    switch (int(v.x) & 1) {
    case 0:
        for (int i = 0; i < 4; i++) {
            if (i == int(v.x) / 4)
                break;
            r += 1.0;
        }
        break;
    case 1:
        r = 50.0;
    }
    o = vec4(r);
}
