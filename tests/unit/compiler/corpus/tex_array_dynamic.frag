#version 450
// push 2
layout(location = 3) in vec2 uv;
layout(push_constant) uniform P { int n; };
layout(set = 1, binding = 15) uniform sampler2D t[4];
layout(location = 0) out vec4 o;
void main()
{
    o = texture(t[n], uv);
}
