#version 450
// out@2 0x40000000 0xbf800000 0xbfc00000 0x40490fdb
// out@8 0x41000000 0xbf800000 0 0x40490fdb
layout(location = 0) in vec4 v;
layout(location = 0) out uvec4 o;
void main()
{
    o = uvec4(floatBitsToUint(v.x), floatBitsToUint(-v.z), uint(floatBitsToInt(v.y)), floatBitsToUint(intBitsToFloat(0x40490fdb)));
}
