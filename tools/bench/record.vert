#version 450
// A small triangle with vertices from a buffer, at a position from the uniform buffer.
layout(set = 0, binding = 0) uniform Place { vec4 place; } u;
layout(location = 0) in vec2 corner;
layout(location = 0) out vec2 uv;
void main()
{
    uv = corner;
    gl_Position = vec4(u.place.xy + corner * u.place.zw, 0.5, 1.0);
}
