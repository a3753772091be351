#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
// Integers of 8 and 16 bits: what wraps around, and what looks at the bits above the number.
// push -30000 20000 200 -100
// out@0 15536 5536 5536 -31616
// out@1 44 24 56 56
// out@2 -1 1 1 55
// out@3 0 5178 28 44
// out@4 1 1 0 1
// out@5 1 0 1 1
// out@6 -1875 2221 -7 9
// out@7 30000 1 100 -1
// out@8 6000 5536 150 5
// out@9 5536 5536 56 144
// out@10 1 10 7 3
// out@11 -56 156 35536 -48
// out@12 -30000 199 -99 65535
// out@13 5536 -25536 0 1
// out@14 208 -29999 55 29999
// out@15 0x00018ad0 0x02019cc8 -48 456
layout(push_constant) uniform P { ivec4 p; };
layout(location = 0) in vec4 in_lane;
layout(location = 0) out ivec4 o;

void main()
{
    int lane = int(in_lane.x);
    int16_t a = int16_t(p.x), b = int16_t(p.y);
    uint16_t ua = uint16_t(p.x);
    uint8_t c = uint8_t(p.z);
    int8_t d = int8_t(p.w);
    int16_t aa = a + a;
    uint16_t uu = ua + ua;
    uint8_t cc = c + c;
    int8_t dd = d + d;
    int table[4] = int[4](3, 1, 10, 7);
    if (lane == 0)
        o = ivec4(a - b, aa, uu, b * int16_t(100));
    else if (lane == 1)
        o = ivec4(c + uint8_t(100), c * uint8_t(27), dd, -c);
    else if (lane == 2)
        o = ivec4(a / b, b % int16_t(7), c / uint8_t(101), ~c);
    else if (lane == 3)
        o = ivec4(aa / b, (a - b) / int16_t(3), cc / uint8_t(5), cc % uint8_t(100));
    else if (lane == 4)
        o = ivec4(aa > int16_t(0), uu < ua, cc > uint8_t(200), dd > int8_t(0));
    else if (lane == 5)
        o = ivec4(aa == int16_t(5536), cc != uint8_t(144), d * int8_t(2) == int8_t(56), uu == uint16_t(5536));
    else if (lane == 6)
        o = ivec4(a >> 4, ua >> 4, d >> 4, cc >> 4);
    else if (lane == 7)
        o = ivec4(abs(a), sign(aa), abs(d), sign(d));
    else if (lane == 8)
        o = ivec4(max(aa, int16_t(6000)), min(aa, int16_t(6000)), max(cc, uint8_t(150)), clamp(dd, int8_t(-1), int8_t(5)));
    else if (lane == 9)
        o = ivec4(int(float(aa)), int(float(uu)), int(float(dd)), int(float(cc)));
    else if (lane == 10)
        o = ivec4(table[c + uint8_t(57)], table[d + int8_t(102)], table[ua + uint16_t(30003)], table[a + int16_t(30000)]);
    else if (lane == 11)
        o = ivec4(int8_t(c), uint8_t(d), uint16_t(a), int8_t(p.x));
    else if (lane == 12)
        o = ivec4(int16_t(float(p.x)), uint8_t(float(p.z) - 0.3), int8_t(float(p.w) + 0.1), uint16_t(float(p.y) + 45535.0));
    else if (lane == 13)
        o = ivec4(i16vec2(a, b) * int16_t(2), u8vec2(c) + uint8_t(56) == u8vec2(1) ? 1 : 0,
                  any(lessThan(i8vec2(d, 5), i8vec2(-99, 5))));
    else if (lane == 14)
        o = ivec4(a & int16_t(255), a | int16_t(1), c ^ uint8_t(255), uint16_t(~ua));
    else
        o = ivec4(int(pack32(u16vec2(ua, 1))), int(pack32(u8vec4(c, uint8_t(d), 1, 2))), unpack8(p.x).x,
                  pack16(u8vec2(c, 1)));
}
