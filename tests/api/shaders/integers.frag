#version 450
// Integer arithmetic in full: what comes out is a checksum of each operation over the pixel's coordinates.
layout(location = 0) out vec4 o_color;
void main()
{
    int x = int(gl_FragCoord.x) * 1234567 - 40000000, y = int(gl_FragCoord.y) * 7919 - 100000;
    uint u = uint(x), v = uint(y) | 1u;
    uint r = u * v;
    r ^= u / v;
    r += u % v;
    r ^= uint(x / (y | 1)) * 31u;
    r += uint(abs(x) % (abs(y) | 1)) * 17u; // the sign of % is undefined in GLSL
    r ^= (u << (v & 31u)) | (u >> (v & 31u));
    r += uint(x >> 3) ^ uint(min(x, y)) ^ uint(max(x, y)) ^ min(u, v) ^ max(u, v);
    r += x < y ? 11u : 13u;
    r ^= u < v ? 0x1100u : 0x2200u;
    r += uint(bitCount(u)) + uint(findMSB(u)) + uint(findLSB(v)) + bitfieldExtract(u, 5, 9) + bitfieldReverse(v);
    o_color = vec4(float(r & 255u), float(r >> 8 & 255u), float(r >> 16 & 255u), float(r >> 24)) / 255.0;
}
