#version 450
layout(location = 3) in vec2 uv;
layout(set = 1, binding = 19) uniform sampler1DArrayShadow t;
layout(location = 0) out vec4 o;
void main()
{
    o = vec4(texture(t, vec3(uv.x, 1.0, 0.5)));
}
