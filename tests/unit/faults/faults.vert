#version 450
layout(location = 0) in vec4 position;
layout(set = 0, binding = 0) uniform U { vec4 scale; };
layout(location = 0) out vec2 coord;
void main()
{
    gl_Position = scale * position;
    coord = position.xy;
}
