#version 450
layout(location = 0) in vec2 position;
layout(location = 1) in uint number;
layout(location = 0) flat out uint v_number;
void main()
{
    gl_Position = vec4(position, 0.0, 1.0);
    v_number = number + uint(gl_InstanceIndex) * 7u;
}
