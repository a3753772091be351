#version 450
// 64-bit floats: determinants and inverses, of numbers with which all steps but the last are exact.
// cpu more live values than registers: the components of vectors in loops
// push 3.0 -7.25 0.7 0.001
// out@0 0 0xc03ac000 0xfb37072d 0x3fd15885
// out@1 0x4a2b10bf 0x3fa323e3 0x1cb5d4ef 0x3fc7ecdc
// out@2 0 0xbff40000 0x33333333 0x40233333
// out@3 0x9999999a 0xc0219999 0 0xc03d0000
// out@4 0 0xc0750600 0xf065fb3e 0xbfaceb8b
// out@5 0xde09b416 0xbfe01ff6 0x91bdfa7b 0x3fc74eac
// out@6 0x59e6507b 0x3fe18d45 0xfd0d0877 0x3f6e7134
layout(push_constant) uniform P { vec4 p; };
layout(location = 0) in vec4 in_lane;
layout(location = 0) out ivec4 o;

ivec4 words(double x, double y) { return ivec4(ivec2(unpackDouble2x32(x)), ivec2(unpackDouble2x32(y))); }
ivec4 words(dvec2 x) { return words(x.x, x.y); }
ivec4 words(double x) { return ivec4(ivec2(unpackDouble2x32(x)), 0, 0); }

void main()
{
    int lane = int(in_lane.x);
    dmat4 m = dmat4(p.x, 1, 2, 4, 0, p.y, 4, 1, 5, 6, 1, -3, 2, 8, -1, 0.5), n = inverse(m);
    dmat3 m3 = dmat3(p.x, 1, 2, 0, p.y, 4, 5, 6, 1), n3 = inverse(m3);
    if (lane == 0)
        { dmat2 m = dmat2(p.x, 1, 5, p.y); o = words(determinant(m), inverse(m)[0][0]); }
    else if (lane == 1)
        { dmat2 m = inverse(dmat2(p.x, 1, 5, p.y)); o = words(m[0][1], m[1][0]); }
    else if (lane == 2)
        o = words(determinant(m3), n3[1][2]);
    else if (lane == 3)
        o = words(n3[0][1], n3[2][0]);
    else if (lane == 4)
        o = words(determinant(m), n[1][2]);
    else if (lane == 5)
        o = words(n[0][3], n[3][0]);
    else if (lane == 6)
        o = words(n[2][1], n[3][3]);
    else
        o = ivec4(0);
}
