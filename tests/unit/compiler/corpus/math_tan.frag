#version 450
// out@0 -2.5721516
// out@3 -0.9315965
// out@6 -0.3093362
// out@9 0.1511352
// out@15 1.7433153
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float y = v.y;
    o = vec4(tan(y * 0.6), 0.0, 0.0, 0.0);
}
