#version 450
// differs where faces meet: ties between them, and the corners, are the implementation's
layout(location = 4) in vec3 dir;
layout(set = 1, binding = 18) uniform isamplerCube t;
layout(location = 0) out ivec4 o;
void main()
{
    o = texture(t, dir);
}
