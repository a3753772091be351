#version 450
// Small triangles at a position that depends on the instance.
layout(set = 0, binding = 0) uniform Place { vec4 place; } u;
layout(location = 0) in vec2 corner;
layout(location = 0) out vec2 uv;
void main()
{
    uv = corner;
    vec2 at = vec2(gl_InstanceIndex & 31, gl_InstanceIndex >> 5) / 16.0 - 1.0;
    gl_Position = vec4(at + u.place.xy * 0.01 + corner * 0.04, 0.5, 1.0);
}
