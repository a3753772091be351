#version 450
layout(location = 1) in vec4 v_smooth;
layout(location = 0) out vec4 color;
void main()
{
    color = vec4(1.0, v_smooth.g, 0.0, 1.0);
}
