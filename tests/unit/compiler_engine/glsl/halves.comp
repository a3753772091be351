#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
// Every operation of 16-bit floats. Row r of the results is row r of the table in small.c.
#ifdef PRESERVES // DenormPreserve (4459) and RoundingModeRTE (4462)
#extension GL_EXT_spirv_intrinsics : require
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4464], 4459, 16);
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4467], 4462, 16);
#endif
#define ROWS 32
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) readonly buffer X { float16_t xs[]; };
layout(set = 0, binding = 1, std430) readonly buffer Y { float16_t ys[]; };
layout(set = 0, binding = 2, std430) writeonly buffer Out { uint16_t words[][ROWS]; };
#define STORE(row, value) words[i][row] = halfBitsToUint16(value);
#define TRUTH(row, value) words[i][row] = uint16_t(value);

void main()
{
    uint i = gl_GlobalInvocationID.x;
    float16_t x = xs[i], y = ys[i];
    STORE(0, x + y)
    STORE(1, x - y)
    STORE(2, x * y)
    STORE(3, -x)
    STORE(4, abs(x))
    STORE(5, float16_t(float(x) * 0.37))
    TRUTH(6, x < y)
    TRUTH(7, x <= y)
    TRUTH(8, x > y)
    TRUTH(9, x >= y)
    TRUTH(10, x == y)
    TRUTH(11, x != y)
    TRUTH(12, isnan(x))
    TRUTH(13, isinf(x))
    STORE(14, floor(x))
    STORE(15, ceil(x))
    STORE(16, trunc(x))
    STORE(17, roundEven(x))
    STORE(18, min(x, y))
    STORE(19, max(x, y))
    STORE(20, sign(x))
    STORE(21, x / y)
    STORE(22, sqrt(abs(x)))
    TRUTH(23, int(x))
    STORE(24, float16_t(int(uint(i) * 1103515245u) >> int(i & 31u)))
    STORE(25, float16_t((i * 1103515245u) >> (i & 31u)))
    STORE(26, float16_t(int16_t(i * 40503u)))
    STORE(27, float16_t(uint8_t(i * 177u)))
    STORE(28, (f16mat2(x, y, y, x) * f16vec2(0.5hf, 0.25hf)).y)
    STORE(29, dot(f16vec3(x, y, 1.0hf), f16vec3(0.5hf, 0.5hf, 0.25hf)))
    STORE(30, x < y ? x : y)
    STORE(31, fract(x))
}
