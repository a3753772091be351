#version 450
layout(location = 4) in vec3 dir;
layout(set = 1, binding = 3) uniform samplerCube t;
layout(location = 0) out vec4 o;
void main()
{
    o = texture(t, dir);
}
