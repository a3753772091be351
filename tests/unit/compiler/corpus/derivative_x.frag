#version 450
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    o = vec4(dFdx(v.x * 0.125), dFdx(v.y), dFdx(v.z), 0.0);
}
