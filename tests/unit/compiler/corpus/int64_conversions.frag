#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_ARB_gpu_shader_int64 : require
// 64-bit integers: conversions from and to integers and floats of 32 bits, and 64-bit floats.
// push 0x76543210 0xfedcba98 0x23456789 1 0x76543211 0xfedcba98 0x7654321 0
// out@0 0x5f7edcbb 0x4f91a2b4 0xdb91a2b4 0x4ceca864
// out@1 0 0x5f800000 0x3f800000 0xbf800000
// out@2 0x5f000000 0x5f000002 0xcb800002 0x5f000001
// out@3 0 0x3159e240 3 0
// out@4 0 0xcea61dc0 0xfffffffd 0xffffffff
// out@5 5 0 0xfffffffb 0
// out@6 0xfffffffa 0xffffffff 6 0
// out@7 0x76543210 0x23456789 0x76543211 0x7654321
// out@8 0x530eca86 0x43efdb97 0x789abcdf 0xc3723456
// out@9 0xfb72ea5f 3 0xa3309970 0xffd663cc
// out@10 0 0x40240000 0xa 7
// out@11 1 0 1 0
layout(push_constant) uniform P { uint64_t a, b; int64_t c, d; };
layout(location = 0) in vec4 in_lane;
layout(location = 0) out ivec4 o;

ivec4 words(uint64_t x, uint64_t y) { return ivec4(ivec2(unpackUint2x32(x)), ivec2(unpackUint2x32(y))); }
ivec4 words(int64_t x, int64_t y) { return ivec4(unpackInt2x32(x), unpackInt2x32(y)); }
ivec4 words(u64vec2 x) { return words(x.x, x.y); }
ivec4 words(i64vec2 x) { return words(x.x, x.y); }

void main()
{
    int lane = int(in_lane.x);
    if (lane == 0)
        o = floatBitsToInt(vec4(float(a), float(b), float(c), float(d)));
    else if (lane == 1)
        o = floatBitsToInt(vec4(float(b - b), float(~(a - a)), float((b - b) + 1ul), float((c - c) - 1l)));
    else if (lane == 2)
        o = floatBitsToInt(vec4(float(a - a + 0x8000008000000000ul), float(a - a + 0x8000018000000000ul), float(c - c - 0x1000003l), float(a - a + 0x8000008000000001ul)));
    else if (lane == 3)
        o = words(uint64_t(uintBitsToFloat(uint(b) + 0x3b000000u)), uint64_t(in_lane.x + 0.75));
    else if (lane == 4)
        o = words(uint64_t(int64_t(uintBitsToFloat(uint(b) + 0xbb000000u))), uint64_t(int64_t(-0.75 * in_lane.x)));
    else if (lane == 5)
        o = words(uint64_t(lane), uint64_t(uint(-lane)));
    else if (lane == 6)
        o = words(int64_t(-lane), int64_t(uint(lane)));
    else if (lane == 7)
        o = ivec4(int(a), uint(b), int(c), uint(d));
    else if (lane == 8)
        { double x = double(a), y = double(c); o = ivec4(ivec2(unpackDouble2x32(x)), ivec2(unpackDouble2x32(y))); }
    else if (lane == 9)
        o = words(uint64_t(double(b) * 3.5lf), uint64_t(int64_t(double(c) / 7.0lf)));
    else if (lane == 10)
        o = words(doubleBitsToUint64(double(lane)), packUint2x32(uvec2(lane, 7)));
    else if (lane == 11)
        o = ivec4(bool(a), bool(a - a), int(uint64_t(lane == 11)), int(int64_t(lane == 10)));
    else
        o = ivec4(0);
}
