#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_ARB_gpu_shader_int64 : require
// 64-bit integers: specialisation constants, and operations on them.
// out@0 0x9abcdef5 0x12345678 0xf2a52100 0xa5e20890
// out@1 0x4e2fff8a 0 0x10c5fe2a 0
// out@2 0x5e6f7800 0x1a2b3c4d 0x91a2b3c 0
// out@3 0x6543210f 0x12345678 0x6543210f 0xedcba987
// out@4 0x9a00de00 0x12005600 0x9abcdeff 0x12345678
// out@5 0xec21bca9 0xffffffff 3 0
// out@6 0x3b9aca07 0 0xf88ca6bf 0xffffffff
// out@7 0xd5fa0ddc 0xfffffffe 0 0x6535f900
// out@8 1 0 0x9abcdef0 0x5f2214e9
// out@9 4 9 0 9
layout(location = 0) in vec4 in_lane;
layout(location = 0) out ivec4 o;

ivec4 words(uint64_t x, uint64_t y) { return ivec4(ivec2(unpackUint2x32(x)), ivec2(unpackUint2x32(y))); }
ivec4 words(int64_t x, int64_t y) { return ivec4(unpackInt2x32(x), unpackInt2x32(y)); }
ivec4 words(u64vec2 x) { return words(x.x, x.y); }
ivec4 words(i64vec2 x) { return words(x.x, x.y); }
layout(constant_id = 0) const uint64_t A = 0x123456789abcdef0ul;
layout(constant_id = 1) const int64_t B = -1000000007l;
const uint64_t U0 = A + 5ul;
const uint64_t U1 = A * A;
const uint64_t U2 = A / 1000000007ul;
const uint64_t U3 = A % 1000000007ul;
const uint64_t U4 = A << 7;
const uint64_t U5 = A >> 33;
const uint64_t U6 = A ^ 0xfffffffful;
const uint64_t U7 = ~A;
const uint64_t U8 = A & 0xff00ff00ff00ff00ul;
const uint64_t U9 = A | 0xful;
const int64_t I0 = B / 3l;
const int64_t I1 = B % 10l;
const int64_t I2 = -B;
const int64_t I3 = B >> 3;
const int64_t I4 = B * 5l - 1l;
const int64_t I5 = B << 40;
const bool LESS = B < 0l, ABOVE = A > 0x8000000000000000ul;
const int WORD = int(A), SUM = WORD + int(B);
const uint SIZE = uint(A >> 58);

void main()
{
    int lane = int(in_lane.x);
    if (lane == 0)
        o = words(U0, U1);
    else if (lane == 1)
        o = words(U2, U3);
    else if (lane == 2)
        o = words(U4, U5);
    else if (lane == 3)
        o = words(U6, U7);
    else if (lane == 4)
        o = words(U8, U9);
    else if (lane == 5)
        o = words(I0, I1);
    else if (lane == 6)
        o = words(I2, I3);
    else if (lane == 7)
        o = words(I4, I5);
    else if (lane == 8)
        o = ivec4(LESS, ABOVE, WORD, SUM);
    else if (lane == 9)
    {
        uint list[SIZE];
        for (uint i = 0u; i < SIZE; i++)
            list[i] = i * 3u;
        o = ivec4(list.length(), list[SIZE - 1u], 0, list[uint(lane) % SIZE + 2u]);
    }
    else
        o = ivec4(0);
}
