#version 450
// For vertex shaders of the corpus that write one vector.
layout(location = 0) in vec4 c;
layout(location = 0) out vec4 o;
void main()
{
    o = c;
}
