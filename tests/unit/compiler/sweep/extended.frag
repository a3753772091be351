#version 450
layout(location = 0) flat in uvec4 x;
layout(location = 1) flat in uvec4 y;
layout(location = 0) out uvec4 color;
void main()
{
    uint carry, high, low;
    int ihigh, ilow;
    umulExtended(x.x, y.x, high, low);
    color.x = high ^ low;
    imulExtended(int(x.y), int(y.y), ihigh, ilow);
    color.y = uint(ihigh ^ ilow);
    color.z = uaddCarry(x.z, y.z, carry);
    color.z ^= carry << 7;
    color.w = usubBorrow(x.w, y.w, carry);
    color.w ^= carry << 7;
}
