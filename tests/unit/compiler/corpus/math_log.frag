#version 450
// out@0 -1.3862944
// out@3 1.178655
// out@6 1.8325815
// out@9 2.2246236
// out@15 2.7245795
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float x = v.x;
    o = vec4(log(x + 0.25), 0.0, 0.0, 0.0);
}
