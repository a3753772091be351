#version 450
// out@0 -0.9640276
// out@3 -0.8482836
// out@6 -0.4621172
// out@9 0.2449187
// out@15 0.9413755
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float y = v.y;
    o = vec4(tanh(y), 0.0, 0.0, 0.0);
}
