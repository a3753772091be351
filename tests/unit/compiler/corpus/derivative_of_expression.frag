#version 450
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float d = length(v.xy - vec2(7.5, 0.0));
    o = vec4(clamp((d - 3.0) / fwidth(d), 0.0, 1.0));
}
