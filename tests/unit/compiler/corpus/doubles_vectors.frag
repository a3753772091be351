#version 450
// 64-bit floats: functions of vectors.
// cpu more live values than registers: the components of vectors in loops
// push 3.0 -7.25 0.7 0.001
// out@0 0x98666680 0xbf90624e 0xd4c33334 0xbfe6e978
// out@1 0xa889fcae 0x401f8265 0x9627712c 0x401fc5d7
// out@2 0x14666666 0xc01d47ae 0x50fb3334 0x3fd4978d
// out@3 0x4407f365 0x3fd85fab 0xe3a9a46e 0x3fb6bfb0
// out@4 0 0x40080000 0 0x401d0000
// out@5 0x54e968d3 0x40080032 0x49866668 0x3fe76c8b
// out@6 0x32f2877f 0x3fdeb46e 0xbfefb3e4 0xbfec13a5
// out@7 0x33333334 0x3fd33333 0x33333334 0xbfe73333
layout(push_constant) uniform P { vec4 p; };
layout(location = 0) in vec4 in_lane;
layout(location = 0) out ivec4 o;

ivec4 words(double x, double y) { return ivec4(ivec2(unpackDouble2x32(x)), ivec2(unpackDouble2x32(y))); }
ivec4 words(dvec2 x) { return words(x.x, x.y); }
ivec4 words(double x) { return ivec4(ivec2(unpackDouble2x32(x)), 0, 0); }

void main()
{
    int lane = int(in_lane.x);
    dvec3 x = dvec3(p.xyz), y = dvec3(p.w * 3.0lf, 0.1lf, p.x / 3.0lf);
    if (lane == 0)
        o = words(dot(x, y), dot(x.xy, y.xy));
    else if (lane == 1)
        o = words(length(x), distance(x, y));
    else if (lane == 2)
        o = words(cross(x, y).xz);
    else if (lane == 3)
        o = words(normalize(x).xz);
    else if (lane == 4)
        o = words(faceforward(x, x, y).x, length(x.y));
    else if (lane == 5)
        o = words(reflect(x, y).xz);
    else if (lane == 6)
        o = words(refract(dvec2(0.6lf, -0.8lf), dvec2(p.w, 1), 0.8lf));
    else if (lane == 7)
        o = words((x * y.y).xy);
    else
        o = ivec4(0);
}
