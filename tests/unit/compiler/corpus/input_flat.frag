#version 450
layout(location = 2) flat in uvec4 f;
layout(location = 0) out uvec4 o;
void main()
{
    o = f;
}
