#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
// Numbers of 64 bits that are only moved: layouts, dynamic indices, shuffles, functions, phis, selections, arrays.
// push 2 0 0x11 0x80000022 0x33 0x44 0x55 0x66
// buffer 0x100 0x101 0x102 0x103 0x104 0x105 0x106 0x107 0x108 0x109 0x10a 0x10b 0x10c 0x10d 0x10e 0x10f 0x110 0x111 0x112 0x113 0x114 0x115 0x116 0x117 0x118 0x119
// out@0 0x102 0x103 0x106 0x107
// out@1 0x112 0x113 0x10e 0x10f
// out@2 0x118 0x119 0x104 0x105
// out@3 0x102 0x103 0x100 0x101
// out@4 0x104 0x105 0x100 0x101
// out@5 0x11 0x80000022 0x55 0x66
// out@6 0x11 0x80000022 0x114 0x115
// out@7 0x33 0x44 0x106 0x107
// out@8 0x9abcdef0 0x12345678 0 0x40240000
// out@9 0x104 0x105 0x102 0x103
// out@10 0x110 0x111 0x10e 0x10f
layout(set = 0, binding = 0, std430) readonly buffer B { u64vec3 v; uint64_t u; layout(row_major) dmat2x3 m; uint64_t a[3]; };
layout(push_constant) uniform P { uint two; uint64_t p; uint64_t q[2]; };
layout(location = 0) in vec4 in_lane;
layout(location = 0) out ivec4 o;

struct S { int before; uint64_t x; dvec2 d; };
uint64_t kept[3];

u64vec2 swapped(u64vec2 x, inout uint64_t other)
{
    uint64_t t = x.x;
    for (uint i = 0; i <= two; i++) { uint64_t next = x.y; x.y = x.x; x.x = next; }
    other = t;
    return x;
}

ivec4 words(uint64_t x, uint64_t y) { return ivec4(ivec2(unpack32(x)), ivec2(unpack32(y))); }
ivec4 words(double x, double y) { return ivec4(ivec2(unpackDouble2x32(x)), ivec2(unpackDouble2x32(y))); }

void main()
{
    int lane = int(in_lane.x);
    uint64_t other;
    S s = S(1, u, dvec2(m[1]));
    if (lane == 0)
        o = words(v.y, s.x);
    else if (lane == 1)
        o = words(m[1][2], m[two - 1][two - 1]);
    else if (lane == 2)
        o = words(a[two], v[two]);
    else if (lane == 3) {
        u64vec2 x = swapped(v.xy, other);
        o = words(x.x, other);
    } else if (lane == 4) {
        u64vec3 x = v.zyx;
        o = words(x.x, x.zyx.x);
    } else if (lane == 5) {
        kept[two] = p;
        kept[two - 1] = q[1];
        o = words(kept[2], kept[1]);
    } else if (lane == 6) {
        u64vec2 x = u64vec2(a[1], a[0]);
        x[two - 2] = p;
        o = words(x[0], x[1]);
    } else if (lane == 7) {
        uint64_t x = two == 2 ? q[0] : p, y = two != 2 ? v.x : u;
        o = words(x, y);
    } else if (lane == 8) {
        double ten = 10.0lf;
        o = ivec4(ivec2(unpack32(0x123456789abcdef0ul)), ivec2(unpackDouble2x32(ten)));
    } else if (lane == 9) {
        u64vec3 x = v;
        S t = s;
        t.x = x[two];
        x.xz = x.yy;
        o = words(t.x, x.z);
    } else if (lane == 10) {
        dmat3x2 t = transpose(m);
        o = words(t[2][0], t[1][1]);
    } else
        o = ivec4(0);
}
