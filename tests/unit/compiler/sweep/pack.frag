#version 450
layout(location = 0) in vec4 x;
layout(location = 1) in vec4 y;
layout(location = 2) in vec4 z;
layout(location = 0) out ivec4 color;
void main()
{
    color = ivec4(packUnorm2x16(vec2(x.x, y.x)), packSnorm2x16(vec2(x.y, y.y)), packUnorm4x8(vec4(x.z, y.z, z.z, x.z)), packSnorm4x8(vec4(x.w, y.w, z.w, x.w)));
}
