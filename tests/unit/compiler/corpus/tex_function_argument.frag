#version 450
layout(location = 3) in vec2 uv;
layout(set = 1, binding = 1) uniform sampler2D t;
layout(location = 0) out vec4 o;
vec4 twice(sampler2D s, vec2 at) { return texture(s, at) * 0.5 + texture(s, at + 0.25) * 0.5; }

void main()
{
    o = twice(t, uv);
}
