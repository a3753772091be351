// SPDX-License-Identifier: MIT
#version 450
#extension GL_EXT_spirv_intrinsics : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : enable
/* Arithmetic on zeros, infinities and NaN under SignedZeroInfNanPreserve, of 32-bit floats or (HALF) 16-bit ones. */
#ifdef HALF
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4466], 4461, 16);
#define T  float16_t
#define T2 f16vec2
#define M2 f16mat2
#else
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4466], 4461, 32);
#define T  float
#define T2 vec2
#define M2 mat2
#endif
struct Parts {
    T fraction, whole;
};
spirv_instruction(set = "GLSL.std.450", id = 36) Parts modf_parts(T x);
spirv_instruction(set = "GLSL.std.450", id = 79) T n_min(T x, T y);
spirv_instruction(set = "GLSL.std.450", id = 80) T n_max(T x, T y);
spirv_instruction(set = "GLSL.std.450", id = 81) T n_clamp(T x, T least, T most);
layout(local_size_x = 128) in;
layout(std430, binding = 0) writeonly buffer Out { float rows[54][128]; };
layout(std430, binding = 1) readonly buffer In { vec2 pairs[128]; };

void main()
{
    uint i = gl_LocalInvocationIndex;
    T a = T(pairs[i].x), b = T(pairs[i].y);
    rows[0][i] = float(a + b);
    rows[1][i] = float(a - b);
    rows[2][i] = float(a * b);
    rows[3][i] = float(a / b);
    rows[4][i] = float(-a);
    rows[5][i] = float(abs(a));
    rows[6][i] = float(min(a, b));
    rows[7][i] = float(max(a, b));
    rows[8][i] = float(sqrt(a));
    rows[9][i] = float(inversesqrt(a));
    rows[10][i] = float(exp2(a));
    rows[11][i] = float(log2(a));
    rows[12][i] = float(exp(a));
    rows[13][i] = float(log(a));
    rows[14][i] = float(pow(a, b));
    rows[15][i] = float(sin(a));
    rows[16][i] = float(cos(a));
    rows[17][i] = float(tan(a));
    rows[18][i] = float(atan(a));
    rows[19][i] = float(asinh(a));
    rows[20][i] = float(sinh(a));
    rows[21][i] = float(cosh(a));
    rows[22][i] = float(tanh(a));
    rows[23][i] = float(floor(a));
    rows[24][i] = float(ceil(a));
    rows[25][i] = float(trunc(a));
    rows[26][i] = float(roundEven(a));
    rows[27][i] = float(fract(a));
    rows[28][i] = float(fma(a, b, a));
    rows[29][i] = float(mix(a, b, T(0.5)));
    rows[30][i] = float(dot(T2(a, b), T2(b, a)));
    rows[31][i] = float(length(T2(a, b)));
    rows[32][i] = float(radians(a));
    rows[33][i] = float((M2(a, b, b, a) * T2(a, b)).y);
    rows[34][i] = float(sign(a));
    rows[35][i] = a < b ? 1 : 0;
    rows[36][i] = a >= b ? 1 : 0;
    rows[37][i] = a == b ? 1 : 0;
    rows[38][i] = a != b ? 1 : 0;
    rows[39][i] = isnan(a) ? 1 : 0;
    rows[40][i] = isinf(a) ? 1 : 0;
    rows[41][i] = float(a);
    T whole, fraction = modf(a, whole);
    Parts parts = modf_parts(a);
    rows[42][i] = float(fraction);
    rows[43][i] = float(whole);
    rows[44][i] = float(parts.fraction);
    rows[45][i] = float(parts.whole);
    rows[46][i] = float(n_min(a, b));
    rows[47][i] = float(n_max(a, b));
    rows[48][i] = float(n_clamp(a, b, b));
    rows[49][i] = float(clamp(a, b, b));
    rows[50][i] = float(asin(a));
    rows[51][i] = float(acos(a));
    int exponent;
    rows[52][i] = float(frexp(a, exponent));
    rows[53][i] = abs(tanh(a)) == T(1) ? 1 : 0;
}
