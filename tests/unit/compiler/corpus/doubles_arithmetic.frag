#version 450
// 64-bit floats: arithmetic and comparisons of scalars and vectors.
// cpu more live values than registers: the components of vectors in loops
// push 3.0 -7.25 0.7 0.001
// out@0 0xfa2309f9 0x3fefffff 0x621999a 0xbffb9581
// out@1 0x8ddfad8a 0xbfd99999 0x4bb99998 0x3fd18937
// out@2 0xa70b53a6 0x3fcae147 0xc3c53334 0x3fe72d42
// out@3 0xe29ba036 0x3fdb6db6 0x28403199 0x3fe73925
// out@4 0x33333334 0xbfd33333 0x33333334 0x3fe73333
// out@5 0x33333334 0x3fd33333 0x33333334 0xbfe73333
// out@6 0x74f88473 0x3fe186f1 0x3bf9b40b 0x3feac5eb
// out@7 0x1848dcbe 0x3ffd363d 0xb46115b 0x3ff31fa8
// out@8 0x34eb0130 0x3c647ae1 0x2eaf6667 0x3ff0636e
// out@9 1 0 0 1
// out@10 1 0 0 1
// out@11 1 1 1 0
layout(push_constant) uniform P { vec4 p; };
layout(location = 0) in vec4 in_lane;
layout(location = 0) out ivec4 o;

ivec4 words(double x, double y) { return ivec4(ivec2(unpackDouble2x32(x)), ivec2(unpackDouble2x32(y))); }
ivec4 words(dvec2 x) { return words(x.x, x.y); }
ivec4 words(double x) { return ivec4(ivec2(unpackDouble2x32(x)), 0, 0); }

void main()
{
    int lane = int(in_lane.x);
    dvec2 x = dvec2(p.xy) * 0.1lf, y = dvec2(p.zw) + dvec2(1e-9lf, -1);
    if (lane == 0)
        o = words(x + y);
    else if (lane == 1)
        o = words(x - y);
    else if (lane == 2)
        o = words(x * y);
    else if (lane == 3)
        o = words(x / y);
    else if (lane == 4)
        o = words(-x);
    else if (lane == 5)
        o = words(mod(x, y));
    else if (lane == 6)
        o = words(sqrt(dvec2(x.x, y.x)));
    else if (lane == 7)
        o = words(inversesqrt(dvec2(x.x, y.x)));
    else if (lane == 8)
        o = words(fma(x, y, dvec2(-(x.x * y.x), x.x)));
    else if (lane == 9)
        o = ivec4(x.x < y.x, x.x > y.x, x.x == y.x, x.x != y.x);
    else if (lane == 10)
        o = ivec4(x.x <= y.x, x.x >= y.x, isnan(x.x), isinf(x.x / 0.0lf));
    else if (lane == 11)
        o = ivec4(ivec2(lessThan(x, y.xx + 1e-300lf)), ivec2(equal(x, dvec2(x.x, y.x))));
    else
        o = ivec4(0);
}
