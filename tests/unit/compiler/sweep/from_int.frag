#version 450
layout(location = 0) flat in ivec4 x;
layout(location = 1) flat in ivec4 y;
layout(location = 0) out vec4 color;
void main()
{
    color = vec4(float(x.x), float(uint(x.y)), intBitsToFloat(x.z), unpackHalf2x16(uint(x.w)).y);
}
