#version 450
layout(set = 1, binding = 5) uniform sampler2DArray t;
layout(location = 0) out vec4 o;
void main()
{
    o = vec4(vec3(textureSize(t, 0)) / 16.0, 1.0);
}
