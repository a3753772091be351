#version 450
// out@0 1.0
// out@3 1.0
// out@6 3.0
// out@9 2.0
// out@15 2.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    o = vec4(1.0);
    if (v.x < 4.0)
        return;
    o = vec4(2.0);
    if (v.w > 0.5)
        return;
    o = vec4(3.0);
}
