#version 450
// out@0 -2.0
// out@3 1.7004397
// out@6 2.6438562
// out@9 3.2094534
// out@15 3.9307373
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float x = v.x;
    o = vec4(log2(x + 0.25), 0.0, 0.0, 0.0);
}
