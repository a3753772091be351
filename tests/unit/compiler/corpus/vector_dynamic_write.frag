#version 450
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    o = vec4(0.0);
    o[int(v.x) & 3] = 5.0;
    vec2 a = v.xy;
    a[int(v.w)] = 9.0;
    o += a.xyxy;
}
