#version 450
// out@0 -1.0 -2.0 1.0 0.0
// out@3 -0.25 1.0 -1.25 1.0
// out@6 0.5 -0.5 1.0 0.0
// out@9 1.25 1.0 0.25 1.0
// out@15 2.75 1.0 1.75 1.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    o = v;
    o.x = o.y + o.z;
    if (o.w > 0.5)
        o.yz = o.zy;
}
