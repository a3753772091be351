#version 450
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    gl_FragDepth = v.x * 0.0625;
    o = vec4(0.5, 1.0, 0.0, 1.0);
}
