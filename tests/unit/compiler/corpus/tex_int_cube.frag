#version 450
// differs at cube edges and corners, where the face is implementation-defined
layout(location = 4) in vec3 dir;
layout(set = 1, binding = 18) uniform isamplerCube t;
layout(location = 0) out ivec4 o;
void main()
{
    o = texture(t, dir);
}
