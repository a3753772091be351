#version 450
layout(set = 1, binding = 2) uniform sampler3D t;
layout(location = 0) out vec4 o;
void main()
{
    o = vec4(vec3(textureSize(t, 0)), float(textureSize(t, 1).z)) / 16.0;
}
