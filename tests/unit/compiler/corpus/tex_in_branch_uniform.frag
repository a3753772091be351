#version 450
// push 4
layout(push_constant) uniform P { int n; };
layout(location = 3) in vec2 uv;
layout(set = 1, binding = 1) uniform sampler2D t;
layout(location = 0) out vec4 o;
void main()
{
    o = vec4(uv, 0.0, 1.0);
    if (n > 2)
        o = texture(t, uv);
}
