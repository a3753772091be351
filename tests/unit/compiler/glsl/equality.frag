#version 450
// push 0.0 1.0e-37 1.5e-37 0x7f800000
// out 0x1b5 0x04a 0x149 0x2b6
layout(push_constant) uniform P { float zero, small, other, inf; };
layout(location = 0) in vec4 v;
layout(location = 0) out ivec4 o;

int bits(bool b0, bool b1, bool b2, bool b3, bool b4, bool b5, bool b6, bool b7, bool b8, bool b9)
{
    return int(b0) | int(b1) << 1 | int(b2) << 2 | int(b3) << 3 | int(b4) << 4 | int(b5) << 5 | int(b6) << 6 |
           int(b7) << 7 | int(b8) << 8 | int(b9) << 9;
}

/* Numbers that only the lanes know: infinities, zeros of both signs, and two whose difference is flushed. */
void main()
{
    float one = v.z, i = inf * one, j = inf * (v.x - v.x + 1), s = small * one, t = other * one, n = zero * one, m = n * -one;
    m = uintBitsToFloat(floatBitsToUint(n) | uint(one) << 31);
    o.x = bits(i == j, i == -j, -i == -j, i == one, n == m, s == small, s == t, one == one + n, n == zero, s == n);
    o.y = bits(i != j, i != -j, -i != -j, i != one, n != m, s != small, s != t, one != one + n, n != zero, n != m * s);
    o.z = bits(-i < j, i < j, i < -j, one < j, n < m, m < n, s < t, t < s, n < s, -s < -t);
    o.w = bits(-i >= j, i >= j, i >= -j, one >= j, n >= m, m >= n, s >= t, t >= s, n >= s, -s >= -t);
}
