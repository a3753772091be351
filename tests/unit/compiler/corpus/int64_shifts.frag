#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_ARB_gpu_shader_int64 : require
// 64-bit integers: shifts by amounts of 32 and 64 bits, constant and not.
// push 0x76543210 0xfedcba98 0x23456789 1 0x76543211 0xfedcba98 0x7654321 0
// out@0 0x76543210 0xfedcba98 0x76543210 0xfedcba98
// out@1 0xeca86422 0xfdb97530 0x3b2a1908 0xff6e5d4c
// out@2 0 0x3b2a1908 0xfdb97530 1
// out@3 0 0x76543210 0xfedcba98 0
// out@4 0 0xeca86422 0xff6e5d4c 0xffffffff
// out@5 0 0x80000000 0xffffffff 0xffffffff
// out@6 0 0x76543210 0xfedcba98 0xffffffff
// out@7 0xca864200 0xdb97530e 0xfedcba 0
// out@8 0x91a2b3c4 0 0 0xeca86420
// out@9 0xca864200 0x3b2a19 0x3b2a19 0
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
        o = words(a << lane, a >> lane);
    else if (lane == 1)
        o = words(c << lane, c >> lane);
    else if (lane == 2)
        o = words(a << (lane + 29), a >> (lane + 29));
    else if (lane == 3)
        o = words(a << (lane + 29), a >> (lane + 29));
    else if (lane == 4)
        o = words(c << (lane + 29u), c >> (lane + 29u));
    else if (lane == 5)
        o = words(c << (lane + 58), c >> (lane + 58));
    else if (lane == 6)
        o = words(a << 32, c >> 32);
    else if (lane == 7)
        o = words(a << 5, a >> 40);
    else if (lane == 8)
        o = words(b >> (d & 31l), a << (uint64_t(d) & 63ul));
    else if (lane == 9)
        o = ivec4(int(d) << (b & 31ul), int(c) >> (b & 15ul), uint(c) >> (b & 15ul), 0);
    else
        o = ivec4(0);
}
