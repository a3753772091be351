#version 450
layout(location = 0) in vec4 v;
layout(location = 0) out mediump vec4 o;
void main()
{
    o = clamp(v * 0.0625, 0.0, 1.0);
}
