#version 450
// out@0 3.1415927
// out@3 2.2459279
// out@6 1.8234766
// out@9 1.4454685
// out@15 0.5053605
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float y = v.y;
    o = vec4(acos(y * 0.5), 0.0, 0.0, 0.0);
}
