#version 450
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    gl_FragDepth = 0.25;
    if (v.x > 8.0)
        discard;
    o = vec4(0.5);
}
