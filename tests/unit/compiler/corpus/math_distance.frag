#version 450
// out@0 2.236068
// out@3 3.0103986
// out@6 5.0249378
// out@9 8.0350793
// out@15 14.0200749
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    o = vec4(distance(v.xy, v.zw), 0.0, 0.0, 0.0);
}
