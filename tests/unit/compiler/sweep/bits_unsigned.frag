#version 450
layout(location = 0) flat in uvec4 x;
layout(location = 1) flat in uvec4 y;
layout(location = 0) out uvec4 color;
void main()
{
    color = uvec4(uint(findLSB(x.x)), uint(findMSB(x.y)), uint(bitCount(x.z)), bitfieldReverse(x.w));
}
