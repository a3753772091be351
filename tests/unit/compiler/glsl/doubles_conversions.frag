#version 450
// 64-bit floats: conversions from and to 32-bit numbers.
// push 3.0 -7.25 0.7 0.001
// out@0 3 0xfffffff9 7 0x80000001
// out@1 0x3dcccccd 0xc0e80000 0x3f800001 0x2ca
// out@2 0x60000000 0x3fe66666 0xe0000000 0x3f50624d
// out@3 0 0xc0140000 0xff600000 0x41efffff
// out@4 0 0x3fe00000 0 0xc0000000
layout(push_constant) uniform P { vec4 p; };
layout(location = 0) in vec4 in_lane;
layout(location = 0) out ivec4 o;

ivec4 words(double x, double y) { return ivec4(ivec2(unpackDouble2x32(x)), ivec2(unpackDouble2x32(y))); }
ivec4 words(dvec2 x) { return words(x.x, x.y); }
ivec4 words(double x) { return ivec4(ivec2(unpackDouble2x32(x)), 0, 0); }

void main()
{
    int lane = int(in_lane.x);
    double zero = p.x - 3.0lf;
    dvec2 x = dvec2(p.xy);
    if (lane == 0)
        o = ivec4(int(x.x), int(x.y), int(uint(-x.y)), int(uint(2147483649.5lf + zero)));
    else if (lane == 1)
        o = floatBitsToInt(vec4(0.1lf + zero, x.y, 1.0lf + zero + 1.0lf / 16777216 + 1.0lf / 1125899906842624.0lf, 1e-42lf + zero));
    else if (lane == 2)
        o = words(dvec2(p.zw));
    else if (lane == 3)
        { int i = int(p.x) - 8; o = words(double(i), double(uint(i))); }
    else if (lane == 4)
        o = words(packDouble2x32(uvec2(0, 0x3fe00000u + uint(zero))), double(p.z > 0) - 3);
    else
        o = ivec4(0);
}
