#version 450
// push 10
// out@0 1.0
// out@3 4.0
// out@6 7.0
// out@9 10.0
// out@15 10.0
layout(location = 0) in vec4 v;
layout(push_constant) uniform P { int n; };
layout(location = 0) out vec4 o;
void main()
{
    float r = 0.0;
    for (int i = 0; i < n; i++) {
        r += 1.0;
        if (r > v.x)
            break;
    }
    o = vec4(r);
}
