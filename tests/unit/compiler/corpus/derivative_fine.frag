#version 450
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    o = vec4(dFdxFine(v.x * v.x * 0.015625), dFdyFine(v.x * v.x * 0.015625), fwidthFine(v.y), 0.0);
}
