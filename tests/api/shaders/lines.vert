#version 450
layout(location = 0) in vec4 position;
layout(location = 1) in vec4 color;
layout(location = 0) flat out vec4 v_flat;
layout(location = 1) out vec4 v_smooth;
layout(location = 2) noperspective out float v_linear;
void main()
{
    gl_Position = position;
    v_flat = color;
    v_smooth = color;
    v_linear = color.g;
}
