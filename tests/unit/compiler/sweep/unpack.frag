#version 450
layout(location = 0) flat in uvec4 x;
layout(location = 1) flat in uvec4 y;
layout(location = 0) out vec4 color;
void main()
{
    color = vec4(unpackUnorm2x16(x.x).y, unpackSnorm2x16(x.y).x, unpackUnorm4x8(x.z).z, unpackSnorm4x8(x.w).w);
}
