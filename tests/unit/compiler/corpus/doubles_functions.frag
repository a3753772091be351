#version 450
// 64-bit floats: functions that work component by component.
// cpu more live values than registers: the components of vectors in loops
// push 3.0 -7.25 0.7 0.001
// out@0 0 0x40080000 0x88000000 0xc1fb0223
// out@1 0 0x40100000 0x87f00000 0xc1fb0223
// out@2 0 0x40080000 0x87f00000 0xc1fb0223
// out@3 0 0x40100000 0 0x80000000
// out@4 0 0x3fe00000 0 0x3fd00000
// out@5 0 0xbff00000 0x87fc0000 0x41fb0223
// out@6 0x60000000 0x3fe66666 0 0xbfe00000
// out@7 0 0x40060000 0 0x3fd00000
// out@8 0x13ffffff 0x400547ae 0xabff9999 0xc1f2e7e5
// out@9 0 0 0 0x3ff00000
// out@10 0xf6fffffd 0x3feaffff 0 0x3fc40000
// out@11 0x87fc0000 0xbfeb0223 0x21 0
// out@12 0xe000 0 0x60000000 0x42666666
// out@13 0 0xbfe80000 0x87f00000 0xc1fb0223
layout(push_constant) uniform P { vec4 p; };
layout(location = 0) in vec4 in_lane;
layout(location = 0) out ivec4 o;

ivec4 words(double x, double y) { return ivec4(ivec2(unpackDouble2x32(x)), ivec2(unpackDouble2x32(y))); }
ivec4 words(dvec2 x) { return words(x.x, x.y); }
ivec4 words(double x) { return ivec4(ivec2(unpackDouble2x32(x)), 0, 0); }

void main()
{
    int lane = int(in_lane.x);
    dvec2 x = dvec2(p.x + 0.5lf, p.y * 1e9lf + 0.25lf), y = dvec2(p.z, -0.5);
    if (lane == 0)
        o = words(floor(x));
    else if (lane == 1)
        o = words(ceil(x));
    else if (lane == 2)
        o = words(trunc(x));
    else if (lane == 3)
        o = words(roundEven(dvec2(x.x, y.y)));
    else if (lane == 4)
        o = words(fract(x));
    else if (lane == 5)
        o = words(sign(x.y), abs(x.y));
    else if (lane == 6)
        o = words(min(x, y).x, max(x, y).y);
    else if (lane == 7)
        o = words(clamp(x, 0.25lf, 2.75lf));
    else if (lane == 8)
        o = words(mix(x, y, 0.3lf));
    else if (lane == 9)
        o = words(step(x.x, y.x), step(x.y, y.y));
    else if (lane == 10)
        o = words(smoothstep(dvec2(0.1lf, -1), dvec2(0.9lf, 1), y));
    else if (lane == 11)
        { int e; double m = frexp(x.y, e); o = words(m); o.z = e; }
    else if (lane == 12)
        o = words(ldexp(dvec2(x.x, y.x), ivec2(-1060, 40)));
    else if (lane == 13)
        { double whole, rest = modf(x.y, whole); o = words(rest, whole); }
    else
        o = ivec4(0);
}
