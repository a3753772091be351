#version 450
// differs at cube edges and corners, where the face is implementation-defined
layout(location = 4) in vec3 dir;
layout(set = 1, binding = 7) uniform samplerCubeShadow t;
layout(location = 0) out vec4 o;
void main()
{
    o = vec4(texture(t, vec4(dir, 0.5)));
}
