#version 450
layout(location = 0) flat in ivec4 x;
layout(location = 1) flat in ivec4 y;
layout(location = 2) flat in ivec4 z;
layout(location = 0) out ivec4 color;
void main()
{
    ivec4 offset = z & 31, count = min((z >> 8) & 63, 32 - offset);
    color.x = bitfieldInsert(x.x, y.x, offset.x, count.x);
    color.y = bitfieldExtract(x.y, offset.y, count.y);
    color.z = int(bitfieldExtract(uint(x.z), offset.z, count.z));
    color.w = x.w >> (y.w & 31);
}
