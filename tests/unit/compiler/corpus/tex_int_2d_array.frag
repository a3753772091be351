#version 450
layout(location = 3) in vec2 uv;
layout(set = 1, binding = 12) uniform isampler2DArray t;
layout(location = 0) out ivec4 o;
void main()
{
    o = texture(t, vec3(uv, 1.0));
}
