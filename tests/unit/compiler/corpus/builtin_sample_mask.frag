#version 450
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    gl_SampleMask[0] = v.x > 8.0 ? 0 : -1;
    o = vec4(0.75);
}
