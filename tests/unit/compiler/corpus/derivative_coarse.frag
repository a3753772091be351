#version 450
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    o = vec4(dFdxCoarse(v.x * 0.125), dFdyCoarse(v.x * 0.125), fwidthCoarse(v.y), 0.0);
}
