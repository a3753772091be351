#version 450
layout(location = 3) in vec2 uv;
layout(set = 1, binding = 0) uniform sampler1D a;
layout(set = 1, binding = 1) uniform sampler2D b;
layout(set = 1, binding = 3) uniform samplerCube c;
layout(set = 1, binding = 15) uniform sampler2D t[4];
layout(location = 0) out vec4 o;
void main()
{
    o = (texture(a, uv.x) + texture(b, uv) + texture(c, vec3(uv, 1.0)) + texture(t[0], uv) + texture(t[1], uv) + texture(t[2], uv) + texture(t[3], uv)) / 7.0;
}
