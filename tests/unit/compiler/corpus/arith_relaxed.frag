#version 450
layout(location = 0) in mediump vec4 v;
layout(location = 0) out mediump vec4 o;
void main()
{
    o = vec4(1.0 / (v.x + 1.0), sqrt(v.x), exp2(v.y), v.x / 3.0);
}
