#version 450
// A small triangle at a position from the uniform buffer.
layout(set = 0, binding = 0) uniform Place { vec4 place; } u;
layout(location = 0) out vec2 uv;
void main()
{
    vec2 at = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
    uv = at;
    gl_Position = vec4(u.place.xy + at * u.place.zw, 0.5, 1.0);
}
