#version 450
layout(location = 3) in vec2 uv;
layout(set = 1, binding = 5) uniform sampler2DArray t;
layout(location = 0) out vec4 o;
void main()
{
    o = textureOffset(t, vec3(uv, 1.0), ivec2(1, 1));
}
