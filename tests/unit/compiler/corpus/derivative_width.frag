#version 450
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    o = vec4(fwidth(v.x * 0.0625), fwidth(v.y * v.y * 0.1), 0.0, 0.0);
}
