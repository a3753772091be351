#version 450
// out@0 0.0
// out@3 0.0
// out@6 1.0
// out@9 2.0
// out@15 3.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float r = 0.0;
    if (v.x > 3.0) {
        r = 1.0;
        if (v.w > 0.5) {
            r = 2.0;
            if (v.x > 10.0)
                r = 3.0;
        } else if (v.x > 8.0) {
            r = 4.0;
        }
    }
    o = vec4(r);
}
