#version 450
layout(location = 1) flat in vec4 f;
layout(location = 0) out vec4 o;
void main()
{
    o = f * 0.1;
}
