#version 450
layout(set = 0, binding = 0) uniform U { vec4 color; };
layout(location = 0) out vec4 o_color;
void main()
{
    o_color = color;
}
