#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
// Every operation of an integer type T of 8 or 16 bits, which has a sign where SIGNED is defined. Row r of the results
// is row r of the table in small.c.
#define ROWS 40
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) readonly buffer X { T xs[]; };
layout(set = 0, binding = 1, std430) readonly buffer Y { T ys[]; };
layout(set = 0, binding = 2, std430) writeonly buffer Out { int words[][ROWS]; };
#define STORE(row, value) words[i][row] = value;
shared T together[64];

T through_function(T a, T b)
{
    if (a == b)
        return T(7);
    return a - b;
}

void main()
{
    uint i = gl_GlobalInvocationID.x, l = gl_LocalInvocationIndex;
    T x = xs[i], y = ys[i], y1 = y == T(0) ? T(1) : y;
    T sum = x + y; /* carries bits beyond the number */
    together[l] = sum;
    barrier();
    int n = int(uint(y) & 7u);
    STORE(0, int(sum))
    STORE(1, int(T(x - y)))
    STORE(2, int(T(x * y)))
    STORE(3, int(T(x / y1)))
#ifdef SIGNED
    STORE(4, int(T((x & T(127)) % ((y1 & T(63)) + T(1)))))
#else
    STORE(4, int(T(x % y1)))
#endif
    STORE(5, int(T(-x)))
    STORE(6, int(T(~x)))
    STORE(7, int(T(x & y)))
    STORE(8, int(T(x | y)))
    STORE(9, int(T(x ^ y)))
    STORE(10, int(T(sum << n)))
    STORE(11, int(T(sum >> n)))
    STORE(12, int(sum < x))
    STORE(13, int(sum > y))
    STORE(14, int(sum <= x))
    STORE(15, int(sum >= y))
    STORE(16, int(sum == T(x - T(3))))
    STORE(17, int(sum != y))
    STORE(18, int(min(sum, x)))
    STORE(19, int(max(sum, x)))
    STORE(20, int(clamp(sum, min(x, y), max(x, y))))
#ifdef SIGNED
    STORE(21, int(T(abs(sum))))
    STORE(22, int(T(sign(sum))))
#endif
    STORE(23, int(float(sum)))
    STORE(24, int(float16_t(T(sum / T(16)))))
    STORE(25, int(int8_t(sum)))
    STORE(26, int(uint8_t(sum)))
    STORE(27, int(int16_t(sum)))
    STORE(28, int(uint16_t(sum)))
    STORE(29, int(T(float(x) * 0.5)))
    STORE(30, int(together[63u - l]))
    STORE(31, int(through_function(sum, x)))
    T list[5] = T[5](x, y, sum, T(1), T(2));
    list[uint(n) % 5u] += T(100);
    STORE(32, int(T(list[0] + list[1] + list[2])))
    T looped = x;
    for (T k = T(0); k < T(5); k++)
        looped = T(looped * T(3) + k);
    STORE(33, int(looped))
    STORE(34, int(mix(x, sum, x > y)))
    STORE(35, int(all(equal(T2(x, y) + T2(y, x), T2(sum)))))
    T2 swapped = T2(x, y).yx;
    STORE(36, int(T(swapped.x - swapped.y)))
    STORE(37, int(T(int(sum) + int(x))))
    STORE(38, int(T(sum & T(3)) == T(2)))
    STORE(39, int(T(x - y) / y1))
}
