#version 450
// differs at cube edges and corners, where the face is implementation-defined
layout(location = 4) in vec3 dir;
layout(set = 1, binding = 3) uniform samplerCube t;
layout(location = 0) out vec4 o;
void main()
{
    o = textureLod(t, dir, 1.5);
}
