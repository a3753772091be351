#version 450
// out@0 -1.5707963
// out@3 -0.6751315
// out@6 -0.2526803
// out@9 0.1253278
// out@15 1.0654358
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float y = v.y;
    o = vec4(asin(y * 0.5), 0.0, 0.0, 0.0);
}
