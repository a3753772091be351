#version 450
// out@0 -1.0 3.0
// out@3 -1.0 3.0
// out@6 -0.5 6.0
// out@9 0.25 9.0
// out@15 1.25 9.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float x = v.x, y = v.y;
    o = vec4(clamp(y, -1.0, 1.25), clamp(x, 3.0, 9.0), 0.0, 0.0);
}
