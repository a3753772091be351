#version 450
// 64-bit floats: products of matrices.
// cpu more live values than registers: the components of vectors in loops
// push 3.0 -7.25 0.7 0.001
// out@0 0xc0000001 0x3fdc28f5 0x16930000 0xc00d0ed9
// out@1 0x99999990 0x3fb99999 0xcccccccd 0x402d4ccc
// out@2 0x47666666 0x4022fae1 0 0xbfe00000
// out@3 0x5c28f5c3 0x404eea8f 0x5834cccc 0x3fd2bc6a
// out@4 0x1999999a 0x3fb1eb85 0xeb851eb8 0x3f9eb851
// out@5 0x66666666 0xc0016666 0x1999999a 0x3fb1eb85
// out@6 0x66666666 0xc011e666 0xe7fccccd 0xbfeda9fb
layout(push_constant) uniform P { vec4 p; };
layout(location = 0) in vec4 in_lane;
layout(location = 0) out ivec4 o;

ivec4 words(double x, double y) { return ivec4(ivec2(unpackDouble2x32(x)), ivec2(unpackDouble2x32(y))); }
ivec4 words(dvec2 x) { return words(x.x, x.y); }
ivec4 words(double x) { return ivec4(ivec2(unpackDouble2x32(x)), 0, 0); }

void main()
{
    int lane = int(in_lane.x);
    dmat2x3 a = dmat2x3(p.xy, 0.3lf, p.zw, -2);
    dmat3x2 b = dmat3x2(0.1lf, 0.2lf, p.x, 0.4lf, 0.5lf, p.y);
    if (lane == 0)
        { dmat3 m = a * b; o = words(m[0][0], m[2][1]); }
    else if (lane == 1)
        { dmat3 m = a * b; o = words(m[1][2], m[2][2]); }
    else if (lane == 2)
        o = words((a * dvec2(p.x, 0.7lf)).xz);
    else if (lane == 3)
        o = words(dvec3(p.xy, 0.9lf) * a);
    else if (lane == 4)
        { dmat2x3 m = a * 0.1lf; o = words(m[1][0], m[0][2]); }
    else if (lane == 5)
        { dmat2x3 m = outerProduct(dvec3(p.xyz), dvec2(0.1lf, 0.3lf)); o = words(m[1][1], m[0][2]); }
    else if (lane == 6)
        { dmat2 m = b * a; o = words(m[0][1], m[1][0]); }
    else
        o = ivec4(0);
}
