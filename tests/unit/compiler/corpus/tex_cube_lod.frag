#version 450
// differs where faces meet: ties between them, and the corners, are the implementation's
layout(location = 4) in vec3 dir;
layout(set = 1, binding = 3) uniform samplerCube t;
layout(location = 0) out vec4 o;
void main()
{
    o = textureLod(t, dir, 1.5);
}
