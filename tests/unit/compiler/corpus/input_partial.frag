#version 450
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    o = vec4(v.y * 0.25 + 0.5, v.w, 0.0, 1.0);
}
