#version 450
// out@0 0.0
// out@3 1.5707963
// out@6 3.1415927
// out@9 4.712389
// out@15 7.8539816
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float x = v.x;
    o = vec4(radians(x * 30.0), 0.0, 0.0, 0.0);
}
