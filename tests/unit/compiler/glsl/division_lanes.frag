#version 450
// push 1000003 97
// out 0 0 0 0
layout(push_constant) uniform P { uint a, b; };
layout(location = 0) in vec4 v;
layout(location = 0) out ivec4 o;
void main() {
    uint n = a * (uint(v.x) * 2654435761u + 12345u), d = b + uint(v.x) * uint(v.x) * 1000u;
    uint q = n / d, r = n % d;
    int sn = int(n), sd = int(d) - 50000;
    int sq = sn / sd, sr = sn - sq * sd;
    o = ivec4(int(n - (q * d + r)), r < d ? 0 : 1, abs(sr) < abs(sd) ? 0 : 1, (sr == 0 || (sr < 0) == (sn < 0)) ? 0 : 1);
}
