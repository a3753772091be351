#version 450
// out@0 -2.0
// out@3 3.0
// out@6 -0.5
// out@9 9.0
// out@15 15.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float x = v.x, y = v.y, w = v.w;
    o = vec4(mix(y, x, w > 0.5), 0.0, 0.0, 0.0);
}
