#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_ARB_gpu_shader_int64 : require
// 64-bit integers: arithmetic and comparisons of scalars.
// push 0x76543210 0xfedcba98 0x23456789 1 0x76543211 0xfedcba98 0x7654321 0
// out@0 0x99999999 0xfedcba99 0x530eca87 0xfedcba97
// out@1 0xe1833a90 0xcccccccc 0xc78fa889 0xdeec6cd8
// out@2 0xe0000000 0 0x96543210 0
// out@3 0x1d208a5a 0 0x38038927 0
// out@4 0xd89d89d9 0xffffffff 0x5838b6d 0
// out@5 0x27627627 0 0x2ab5de8 0
// out@6 0x89abcdef 0x1234567 0xf89abcde 0xffffffff
// out@7 0x22442200 0 0x77557799 0xfedcba99
// out@8 0x55115599 0xfedcba99 0x89abcdef 0x1234567
// out@9 0 1 1 1
// out@10 0x23456789 1 0x76543210 0xfedcba98
// out@11 0x76543211 0xfedcba98 0x7654321 0
// out@12 0xfffffffb 0xffffffff 0xffffffff 0xffffffff
// out@13 0x23456789 1 1 0
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
        o = words(a + b, a - b);
    else if (lane == 1)
        o = words(a * b, a * a + b);
    else if (lane == 2)
        o = words(a / b, a % b);
    else if (lane == 3)
        o = words(b / 10ul, a % 1000000007ul);
    else if (lane == 4)
        o = words(c / d, (c & 0x7fffffffffffffffl) % d);
    else if (lane == 5)
        o = words(c / -d, -c % d);
    else if (lane == 6)
        o = words(-c, ~d);
    else if (lane == 7)
        o = words(a & b, a | b);
    else if (lane == 8)
        o = words(a ^ b, uint64_t(abs(c)));
    else if (lane == 9)
        o = ivec4(a < b, c < d, a >= b, c != d);
    else if (lane == 10)
        o = words(min(a, b), max(a, b));
    else if (lane == 11)
        o = words(min(c, d), max(c, d));
    else if (lane == 12)
        o = words(clamp(c, -5l, d), sign(c));
    else if (lane == 13)
        o = words(uint64_t(clamp(a, 3ul, b)), uint64_t(sign(d)));
    else
        o = ivec4(0);
}
