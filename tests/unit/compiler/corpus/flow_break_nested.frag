#version 450
// out@0 1.0
// out@3 10.0
// out@6 17.0
// out@9 18.0
// out@15 18.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float r = 0.0;
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            if (i + j > int(v.x))
                break;
            r += 1.0;
        }
        if (r > 12.0)
            break;
    }
    o = vec4(r);
}
