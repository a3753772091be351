#version 450
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    o = vec4(dFdy(v.x * 0.125), dFdy(v.y), dFdy(v.z), 0.0);
}
