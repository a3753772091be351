#version 450
// out@0 -1.4436355
// out@3 -1.047593
// out@6 -0.4812118
// out@9 0.2474665
// out@15 1.3258978
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float y = v.y;
    o = vec4(asinh(y), 0.0, 0.0, 0.0);
}
