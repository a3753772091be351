#version 450
layout(location = 0) in vec2 corner;
layout(location = 1) in vec2 offset;
layout(location = 0) out vec4 v_color;
void main()
{
    gl_Position = vec4(corner * 0.2 + offset, 0.0, 1.0);
    v_color = vec4(float(gl_InstanceIndex) / 8.0, 1.0 - float(gl_InstanceIndex) / 8.0, 0.5, 1.0);
}
