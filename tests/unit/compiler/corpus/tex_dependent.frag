#version 450
// differs the second lookup amplifies small errors of the first
layout(location = 3) in vec2 uv;
layout(set = 1, binding = 1) uniform sampler2D t;
layout(location = 0) out vec4 o;
void main()
{
    vec4 a = texture(t, uv);
    o = texture(t, a.xy);
}
