#version 450
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    o = vec4(v.w, 0.5, 0.25, 1.0);
    if (v.x > 5.0 && v.x < 11.0)
        discard;
}
