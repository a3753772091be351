#version 450
layout(location = 3) in vec2 uv;
layout(set = 1, binding = 8) uniform sampler2DArrayShadow t;
layout(location = 0) out vec4 o;
void main()
{
    o = vec4(texture(t, vec4(uv, 1.0, 0.5)));
}
