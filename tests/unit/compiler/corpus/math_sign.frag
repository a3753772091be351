#version 450
// out@0 -1.0 0.0
// out@3 -1.0 1.0
// out@6 -1.0 1.0
// out@9 1.0 1.0
// out@15 1.0 1.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float x = v.x, y = v.y;
    o = vec4(sign(y), sign(x), 0.0, 0.0);
}
