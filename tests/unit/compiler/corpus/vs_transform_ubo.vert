#version 450
// buffer 0.5 0.0 0.0 0.0 0.0 0.5 0.0 0.0 0.0 0.0 0.25 0.0 0.0 0.0 0.5 1.0 1.0 0.0 0.0 0.0 0.0 1.0 0.0 0.0 0.0 0.0 1.0 0.0 0.1 0.2 0.3 1.0 0.5 0.25 0.125 1.0
layout(location = 0) in vec4 a;
layout(location = 0) out vec4 c;
layout(set = 0, binding = 0) uniform U { mat4 view, model; vec4 tint; };
void main()
{
    gl_Position = view * (model * a);
    c = tint * a.x;
}
