#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_ARB_gpu_shader_int64 : require
// 64-bit integers: vectors, functions, loops, arrays.
// push 0x76543210 0xfedcba98 0x23456789 1 0x76543211 0xfedcba98 0x7654321 0
// out@0 0x99999999 0xfedcba99 0x551155a0 0xfedcba99
// out@1 0x4c8a219 0xccccccce 0x5379572f 0xf8091a31
// out@2 0xe0000000 0 0x554b9e83 0x2468acf1
// out@3 0x96543210 0 0x23456789 1
// out@4 0x833944a5 0x611722 0x1e4ac 0
// out@5 0x37f 0 6 0
// out@6 0 1 0 0
// out@7 0x76543210 0xfedcba98 0x76543211 0xfedcba98
// out@8 0x19975c29 0xf756a5b4 0x9495753 0x275329fd
// out@9 0xef0321e5 0x533163 0x6f 0
// out@10 0x65432100 0xedcba987 0 0x468acf12
// out@11 0xeca8642 0xffdb9753 0xeca864 0
layout(push_constant) uniform P { uint64_t a, b; int64_t c, d; };
layout(location = 0) in vec4 in_lane;
layout(location = 0) out ivec4 o;

ivec4 words(uint64_t x, uint64_t y) { return ivec4(ivec2(unpackUint2x32(x)), ivec2(unpackUint2x32(y))); }
ivec4 words(int64_t x, int64_t y) { return ivec4(unpackInt2x32(x), unpackInt2x32(y)); }
ivec4 words(u64vec2 x) { return words(x.x, x.y); }
ivec4 words(i64vec2 x) { return words(x.x, x.y); }

uint64_t power(uint64_t x, uint n)
{
    uint64_t p = 1ul;
    for (; n > 0u; n >>= 1, x *= x)
        if ((n & 1u) == 1u)
            p *= x;
    return p;
}

uint64_t fibonacci(int n)
{
    uint64_t f[2] = uint64_t[2](0ul, 1ul);
    for (int i = 1; i < n; i++)
        f[(i + 1) & 1] += f[i & 1];
    return f[n & 1];
}

uint64_t collatz(uint64_t n)
{
    uint64_t steps = 0ul;
    for (; n != 1ul; steps++)
        n = (n & 1ul) == 0ul ? n / 2ul : 3ul * n + 1ul;
    return steps;
}

void main()
{
    int lane = int(in_lane.x);
    u64vec3 x = u64vec3(a, b, a ^ b), y = u64vec3(b | 1ul, a | 1ul, 7ul);
    if (lane == 0)
        o = words((x + y).xz);
    else if (lane == 1)
        o = words((x * y).yz);
    else if (lane == 2)
        o = words((x / y).xz);
    else if (lane == 3)
        o = words((x % y).xy);
    else if (lane == 4)
        o = words(i64vec2(c, d) / i64vec2(-3l, 1000l));
    else if (lane == 5)
        o = words(i64vec2(-c, d) % i64vec2(1000l, 7l));
    else if (lane == 6)
        o = ivec4(ivec3(lessThan(x, y)), any(equal(x, y)));
    else if (lane == 7)
        o = words(mix(x.xy, y.xy, lessThan(x.xy, y.xy)));
    else if (lane == 8)
        o = words(power(b, 5u), power(3ul, 45u));
    else if (lane == 9)
        o = words(fibonacci(80), collatz(27ul));
    else if (lane == 10)
        o = words((x << u64vec3(4ul, 33ul, 1ul)).xy);
    else if (lane == 11)
        o = words((i64vec2(c, d) >> 3).xy);
    else
        o = ivec4(0);
}
