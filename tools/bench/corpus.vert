#version 450
// For fragment shaders of the corpus: a quad over the target from gl_VertexIndex, and all inputs that they use.
layout(location = 0) out vec4 v;
layout(location = 1) out vec4 constant;
layout(location = 2) flat out uvec4 whole;
layout(location = 3) out vec2 uv;
layout(location = 4) out vec3 dir;
void main()
{
    vec2 at = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
    v = vec4(at.x * 16.0, at.y * 4.0 - 2.0, 1.0, at.y);
    constant = vec4(1.0, 2.0, 3.0, 4.0);
    whole = uvec4(10, 20, 30, 40);
    uv = at;
    dir = vec3(at * 3.0 - 1.5, 1.0 - at.x * 1.2);
    gl_Position = vec4(at * 2.0 - 1.0, 0.5, 1.0);
}
