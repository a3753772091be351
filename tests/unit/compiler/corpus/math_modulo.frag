#version 450
// out@0 0.5 0.35 -0.4
// out@3 0.5 0.35 -0.4
// out@6 0.5 0.35 -0.4
// out@9 0.5 0.35 -0.4
// out@15 0.5 0.35 -0.4
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float x = v.x, y = v.y;
    o = vec4(mod(x + 0.5, 3.0), mod(y + 0.1, 0.75), mod(y + 0.1, -0.75), 0.0);
}
