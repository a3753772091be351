#version 450
layout(location = 0) in vec4 x;
layout(location = 1) in vec4 y;
layout(location = 2) in vec4 z;
layout(location = 0) out ivec4 color;
void main()
{
    color = ivec4(int(x.x), int(uint(x.y)), int(packHalf2x16(vec2(x.z, y.z))), floatBitsToInt(x.w));
}
