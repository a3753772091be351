#version 450
// differs where faces meet: ties between them, and the corners, are the implementation's
layout(location = 4) in vec3 dir;
layout(set = 1, binding = 7) uniform samplerCubeShadow t;
layout(location = 0) out vec4 o;
void main()
{
    o = vec4(texture(t, vec4(dir, 0.5)));
}
