/* SPDX-License-Identifier: MIT
 *
 * Float functions of the sweep: reference results in double, error limits of Vulkan.
 */
#include <math.h>
#include "sweep.h"

#define PI 3.14159265358979323846

/* The arguments of the row's own component. */
#define X (a->f[a->component])
#define Y (a->f[4 + a->component])
#define Z (a->f[8 + a->component])

#define JUDGE(name) static struct sweep_verdict name(const struct sweep_args *a, uint32_t got)

static double ulps(double n, double of)
{
    return n * sweep_ulp(of);
}

static double sum_of_squares(const double *v, uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += v[i] * v[i];
    return sum;
}

/* ---------------------------------------------------------------- exponentials */

static double exp_limit(double x, double result)
{
    return ulps(3 + 2 * fabs(x), result);
}

static double log_limit(double x, double result)
{
    return x >= 0.5 && x <= 2 ? ldexp(1, -21) : ulps(3, result);
}

JUDGE(judge_exp2)
{
    return sweep_float(got, exp2(X), exp_limit(X, exp2(X)));
}

JUDGE(judge_exp)
{
    return sweep_float(got, exp(X), exp_limit(X, exp(X)));
}

JUDGE(judge_log2)
{
    return sweep_float(got, log2(X), log_limit(X, log2(X)));
}

JUDGE(judge_log)
{
    return sweep_float(got, log(X), log_limit(X, log(X)));
}

/* exp2(y log2(x)): the error of the product moves the result by its exponential. */
JUDGE(judge_pow)
{
    double t = Y * log2(X), want = exp2(t), dt = fabs(Y) * log_limit(X, log2(X)) + sweep_ulp(t);
    return sweep_float(got, want, want * (exp2(dt) - 1) + exp_limit(t, want));
}

JUDGE(judge_sqrt) /* 1 / inversesqrt(x) */
{
    return sweep_float(got, sqrt(X), ulps(4.5, sqrt(X)));
}

JUDGE(judge_inversesqrt)
{
    return sweep_float(got, 1 / sqrt(X), ulps(2, 1 / sqrt(X)));
}

JUDGE(judge_divide)
{
    double y = Y, size = fabs(y);
    return sweep_float(got, size > ldexp(1, 126) || size < ldexp(1, -126) ? NAN : X / y, ulps(2.5, X / y));
}

JUDGE(judge_reciprocal)
{
    return sweep_float(got, fabs(X) > ldexp(1, 126) || X == 0 ? NAN : 1 / X, ulps(2.5, 1 / X));
}

/* ---------------------------------------------------------------- trigonometry */

static double sine_limit(double x)
{
    return fmax(ldexp(1, -11), ldexp(fabs(x), -12));
}

JUDGE(judge_sin)
{
    return sweep_float(got, sin(X), sine_limit(X));
}

JUDGE(judge_cos)
{
    return sweep_float(got, cos(X), sine_limit(X));
}

JUDGE(judge_tan)
{
    double s = sin(X), c = cos(X), e = sine_limit(X);
    if (fabs(c) <= 2 * e)
        return sweep_float(got, NAN, 1);
    return sweep_float(got, s / c, (e * fabs(c) + e * fabs(s)) / (fabs(c) * (fabs(c) - e)) + ulps(2.5, s / c));
}

JUDGE(judge_atan)
{
    return sweep_float(got, atan(X), ulps(4096, atan(X)));
}

JUDGE(judge_atan2)
{
    return sweep_float(got, X == 0 && Y == 0 ? NAN : atan2(X, Y), ulps(4096, atan2(X, Y)));
}

/* The allowed error of sqrt(1 - x x). */
static double side_error(double x)
{
    double square = 1 - x * x, e = ldexp(1, -22);
    return square > e ? e / sqrt(square) : sqrt(2 * e);
}

JUDGE(judge_asin)
{
    return sweep_float(got, asin(X), ulps(4096, asin(X)) + side_error(X));
}

JUDGE(judge_acos)
{
    return sweep_float(got, acos(X), ulps(4096, acos(X)) + side_error(X));
}

/* ---------------------------------------------------------------- hyperbolic functions */

/* The limit of (exp(x) + exp(-x)) / 2 and of (exp(x) - exp(-x)) / 2. */
static double hyperbolic_limit(double x, double result)
{
    return (exp_limit(x, exp(x)) + exp_limit(x, exp(-x))) / 2 + ulps(2, result);
}

JUDGE(judge_sinh)
{
    return sweep_float(got, sinh(X), hyperbolic_limit(X, sinh(X)));
}

JUDGE(judge_cosh)
{
    return sweep_float(got, cosh(X), hyperbolic_limit(X, cosh(X)));
}

JUDGE(judge_tanh)
{
    double x = fmax(-80, fmin(80, X)), s = sinh(x), c = cosh(x);
    double limit = hyperbolic_limit(x, s) / c + fabs(s / c) * hyperbolic_limit(x, c) / c + ulps(2.5, s / c);
    return sweep_float(got, tanh(x), limit);
}

JUDGE(judge_asinh)
{
    double in = fabs(X) + sqrt(X * X + 1);
    return sweep_float(got, asinh(X), ldexp(5, -23) + log_limit(in, asinh(X)));
}

JUDGE(judge_acosh)
{
    double square = X * X - 1, root = sqrt(square), e = X * X * ldexp(1, -22);
    double root_error = (square > e ? e / root : sqrt(2 * e)) + ulps(4.5, root);
    return sweep_float(got, acosh(X), (root_error + ulps(1, X + root)) / (X + root) + log_limit(X + root, acosh(X)));
}

JUDGE(judge_atanh)
{
    double ratio = (1 + X) / (1 - X);
    return sweep_float(got, atanh(X), (ldexp(5, -23) + log_limit(ratio, 2 * atanh(X))) / 2 + ulps(1, atanh(X)));
}

JUDGE(judge_radians)
{
    return sweep_float(got, X * (PI / 180), ulps(2, X * (PI / 180)));
}

JUDGE(judge_degrees)
{
    return sweep_float(got, X * (180 / PI), ulps(2, X * (180 / PI)));
}

/* ---------------------------------------------------------------- rounding and choices: exact */

JUDGE(judge_round)
{
    bool is_tie = X - floor(X) == 0.5;
    return sweep_float(got, is_tie && util_uif(got) == floor(X) ? floor(X) : is_tie ? ceil(X) : rint(X), 0);
}

JUDGE(judge_round_even)
{
    return sweep_float(got, rint(X), 0);
}

JUDGE(judge_trunc)
{
    return sweep_float(got, trunc(X), 0);
}

JUDGE(judge_abs)
{
    return sweep_float(got, fabs(X), 0);
}

JUDGE(judge_floor)
{
    return sweep_float(got, floor(X), 0);
}

JUDGE(judge_ceil)
{
    return sweep_float(got, ceil(X), 0);
}

JUDGE(judge_fract)
{
    return sweep_float(got, X - floor(X), ulps(1, X - floor(X)));
}

JUDGE(judge_sign)
{
    return sweep_float(got, (X > 0) - (X < 0), 0);
}

JUDGE(judge_min)
{
    return sweep_float(got, fmin(X, Y), 0);
}

JUDGE(judge_max)
{
    return sweep_float(got, fmax(X, Y), 0);
}

JUDGE(judge_clamp)
{
    return sweep_float(got, fmin(fmax(X, fmin(Y, Z)), fmax(Y, Z)), 0);
}

JUDGE(judge_step)
{
    return sweep_float(got, Y < X ? 0 : 1, 0);
}

/* ---------------------------------------------------------------- blends and plain arithmetic */

JUDGE(judge_mix)
{
    double p = X * (1 - Z), q = Y * Z;
    return sweep_float(got, p + q, ulps(2.5, p) + ulps(2.5, q) + ulps(1, p + q));
}

JUDGE(judge_smoothstep)
{
    double low = fmin(X, Y), high = fmax(X, Y), t = (Z - low) / (high - low);
    if (!(low < high))
        return sweep_float(got, NAN, 1);
    double t_error = (ulps(1, Z - low) + fabs(t) * ulps(2, high - low)) / (high - low) + ulps(2.5, t);
    double u = fmin(fmax(t, 0), 1), want = u * u * (3 - 2 * u);
    return sweep_float(got, want, fmin(1, 1.5 * t_error + ulps(8, fmax(want, 1e-30)) + t_error * t_error * 3));
}

JUDGE(judge_fma)
{
    return sweep_float(got, X * Y + Z, ulps(1, X * Y) + ulps(1, X * Y + Z));
}

/* If the quotient is close to an integer whose product with y is not a float, the remainder may have the other sign. */
static struct sweep_verdict judge_remainder(uint32_t got, double x, double y, double whole)
{
    double want = x - y * whole, limit = ulps(1, y * whole) + ulps(1, want), quotient = x / y,
           product = y * rint(quotient);
    if (y == 0 || fabs(quotient) > 1e6)
        return sweep_float(got, NAN, 1);
    if (fabs(quotient - rint(quotient)) <= ulps(2.5, quotient) && product != (double)(float)product)
        return sweep_float(util_fui((float)remainder(util_uif(got) - want, y)), 0, ulps(4, x));
    return sweep_float(got, want, limit);
}

JUDGE(judge_mod)
{
    return judge_remainder(got, X, Y, floor(X / Y));
}

JUDGE(judge_rem)
{
    return judge_remainder(got, X, Y, trunc(X / Y));
}

JUDGE(judge_add)
{
    return sweep_float(got, X + Y, ulps(1, X + Y));
}

JUDGE(judge_sub)
{
    return sweep_float(got, X - Y, ulps(1, X - Y));
}

JUDGE(judge_mul)
{
    return sweep_float(got, X * Y, ulps(1, X * Y));
}

JUDGE(judge_negate)
{
    return sweep_float(got, -X, 0);
}

/* ---------------------------------------------------------------- vectors and matrices */

static double dot(const double *x, const double *y, uint32_t n, double *limit)
{
    double sum = 0;
    *limit = 0;
    for (uint32_t i = 0; i < n; i++) {
        sum += x[i] * y[i];
        *limit += ulps(n + 3, x[i] * y[i]);
    }
    return sum;
}

JUDGE(judge_length)
{
    double want = sqrt(sum_of_squares(a->f, 4));
    return sweep_float(got, want, ulps(10, want));
}

JUDGE(judge_distance)
{
    double d[3];
    for (uint32_t i = 0; i < 3; i++)
        d[i] = a->f[i] - a->f[4 + i];
    double want = sqrt(sum_of_squares(d, 3));
    return sweep_float(got, want, ulps(11, want));
}

JUDGE(judge_normalize)
{
    double want = a->f[2] / sqrt(sum_of_squares(a->f, 3));
    return sweep_float(got, want, ulps(10, want));
}

JUDGE(judge_dot)
{
    double limit, want = dot(a->f, a->f + 4, 4, &limit);
    return sweep_float(got, want, limit);
}

JUDGE(judge_cross)
{
    double p = a->f[2] * a->f[4], q = a->f[0] * a->f[6];
    return sweep_float(got, p - q, ulps(1, p) + ulps(1, q) + ulps(1, p - q));
}

JUDGE(judge_faceforward)
{
    double limit, d = dot(a->f + 8, a->f + 4, 4, &limit);
    double want = d < 0 ? a->f[2] : -a->f[2];
    return sweep_float(got, fabs(d) < limit && util_uif(got) == -want ? -want : want, 0);
}

JUDGE(judge_reflect)
{
    double n[3], limit, length = sqrt(sum_of_squares(a->f + 4, 3));
    for (uint32_t i = 0; i < 3; i++)
        n[i] = a->f[4 + i] / length;
    double d = dot(n, a->f, 3, &limit), want = a->f[0] - 2 * d * n[0];
    double size = sqrt(sum_of_squares(a->f, 3));
    return sweep_float(got, want, ulps(40, size));
}

JUDGE(judge_refract)
{
    double eta = fabs(a->f[11]), li = hypot(a->f[0], a->f[1]), ln = hypot(a->f[4], a->f[5]);
    double n[2] = {a->f[4] / ln, a->f[5] / ln}, i[2] = {a->f[0] / li, a->f[1] / li};
    double d = n[0] * i[0] + n[1] * i[1], k = 1 - eta * eta * (1 - d * d), k_error = ldexp(16, -23) * (1 + eta * eta);
    if (fabs(k) <= k_error)
        return sweep_float(got, NAN, 1);
    double want = k < 0 ? 0 : eta * i[1] - (eta * d + sqrt(k)) * n[1];
    return sweep_float(got, want, k_error / sqrt(fabs(k)) + ldexp(20, -23) * (1 + eta));
}

static double det3(const double *x, const double *y, const double *z, uint32_t i, uint32_t j, uint32_t k)
{
    return x[i] * (y[j] * z[k] - z[j] * y[k]) - y[i] * (x[j] * z[k] - z[j] * x[k]) + z[i] * (x[j] * y[k] - y[j] * x[k]);
}

static double largest(const double *v, uint32_t n)
{
    double most = 0;
    for (uint32_t i = 0; i < n; i++)
        most = fmax(most, fabs(v[i]));
    return most;
}

JUDGE(judge_det2)
{
    double p = a->f[0] * a->f[3], q = a->f[1] * a->f[2];
    return sweep_float(got, p - q, ulps(1, p) + ulps(1, q) + ulps(1, p - q));
}

JUDGE(judge_det3)
{
    return sweep_float(got, det3(a->f, a->f + 4, a->f + 8, 0, 1, 2), ulps(16, pow(largest(a->f, 12), 3)));
}

JUDGE(judge_det4)
{
    const double w[4] = {a->f[1], a->f[2], a->f[3], a->f[0]}, *x = a->f, *y = a->f + 4, *z = a->f + 8;
    double want = x[0] * det3(y, z, w, 1, 2, 3) - x[1] * det3(y, z, w, 0, 2, 3) + x[2] * det3(y, z, w, 0, 1, 3) -
                  x[3] * det3(y, z, w, 0, 1, 2);
    return sweep_float(got, want, ulps(60, pow(largest(a->f, 12), 4)));
}

JUDGE(judge_inverse)
{
    const double *x = a->f, *y = a->f + 4, *z = a->f + 8;
    double det = det3(x, y, z, 0, 1, 2), most = largest(a->f, 12);
    double want = -(x[0] * y[2] - y[0] * x[2]) / det; /* the cofactor of column 2, row 1 */
    double det_error = ulps(12, most * most * most);
    if (fabs(det) <= 2 * det_error)
        return sweep_float(got, NAN, 1);
    double limit = ulps(4, most * most) / fabs(det) + fabs(want) * det_error / (fabs(det) - det_error) + ulps(8, want);
    return sweep_float(got, want, limit);
}

/* ---------------------------------------------------------------- mediump: half floats */

static double half_ulps(double n, double x)
{
    return n * ldexp(sweep_ulp(x), 13);
}

JUDGE(judge_medium_exp2)
{
    return sweep_float(got, exp2(X), half_ulps(1 + 2 * fabs(X), exp2(X)));
}

JUDGE(judge_medium_exp)
{
    return sweep_float(got, exp(X), half_ulps(1 + 2 * fabs(X), exp(X)));
}

static double medium_log_limit(double x, double result)
{
    return x >= 0.5 && x <= 2 ? ldexp(1, -7) : half_ulps(3, result);
}

JUDGE(judge_medium_log2)
{
    return sweep_float(got, log2(X), medium_log_limit(X, log2(X)));
}

JUDGE(judge_medium_log)
{
    return sweep_float(got, log(X), medium_log_limit(X, log(X)));
}

JUDGE(judge_medium_pow)
{
    double t = Y * log2(X), want = exp2(t), dt = fabs(Y) * medium_log_limit(X, log2(X)) + half_ulps(1, t);
    return sweep_float(got, want, want * (exp2(dt) - 1) + half_ulps(1 + 2 * fabs(t), want));
}

JUDGE(judge_medium_sqrt)
{
    return sweep_float(got, sqrt(X), half_ulps(4.5, sqrt(X)));
}

JUDGE(judge_medium_inversesqrt)
{
    return sweep_float(got, 1 / sqrt(X), half_ulps(2, 1 / sqrt(X)));
}

JUDGE(judge_medium_divide)
{
    return sweep_float(got, X / Y, half_ulps(2.5, X / Y));
}

JUDGE(judge_medium_sin)
{
    return sweep_float(got, sin(X), ldexp(1, -7));
}

JUDGE(judge_medium_cos)
{
    return sweep_float(got, cos(X), ldexp(1, -7));
}

JUDGE(judge_medium_atan2)
{
    return sweep_float(got, atan2(X, Y), half_ulps(5, atan2(X, Y)));
}

JUDGE(judge_medium_atan)
{
    return sweep_float(got, atan(X), half_ulps(5, atan(X)));
}

/* ---------------------------------------------------------------- rows */

#define RANGE(low, high) {SWEEP_BETWEEN, low, high}
#define FLOATS           {SWEEP_FLOATS, 0, 0}
#define POSITIVE         {SWEEP_POSITIVE, 0, 0}
#define ONE              {RANGE(-1, 1)}
#define TEN              RANGE(-10, 10)

const struct sweep_row sweep_float_rows[] = {
    {"exponential", 0, "exp2", judge_exp2, {RANGE(-130, 130)}},
    {"exponential", 1, "log2", judge_log2, {POSITIVE}},
    {"exponential", 2, "exp", judge_exp, {RANGE(-90, 90)}},
    {"exponential", 3, "log", judge_log, {RANGE(0.01, 100)}},
    {"power", 0, "pow", judge_pow, {RANGE(1e-3, 1000), TEN}},
    {"power", 1, "sqrt", judge_sqrt, {POSITIVE}},
    {"power", 2, "inversesqrt", judge_inversesqrt, {POSITIVE}},
    {"power", 3, "x / y", judge_divide, {FLOATS, FLOATS}},
    {"trig", 0, "sin", judge_sin, {RANGE(-PI, PI)}},
    {"trig", 1, "cos", judge_cos, {RANGE(-100, 100)}},
    {"trig", 2, "tan", judge_tan, {RANGE(-PI, PI)}},
    {"trig", 3, "atan", judge_atan, {FLOATS}},
    {"arc", 0, "asin", judge_asin, ONE},
    {"arc", 1, "acos", judge_acos, ONE},
    {"arc", 2, "atan(y, x)", judge_atan2, {RANGE(-1000, 1000), RANGE(-1000, 1000)}},
    {"arc", 3, "1 / x", judge_reciprocal, {FLOATS}},
    {"hyperbolic", 0, "sinh", judge_sinh, {RANGE(-80, 80)}},
    {"hyperbolic", 1, "cosh", judge_cosh, {RANGE(-80, 80)}},
    {"hyperbolic", 2, "tanh", judge_tanh, {RANGE(-30, 30)}},
    {"hyperbolic", 3, "asinh", judge_asinh, {RANGE(-1000, 1000)}},
    {"hyperbolic_more", 0, "acosh", judge_acosh, {RANGE(1, 1000)}},
    {"hyperbolic_more", 1, "atanh", judge_atanh, {RANGE(-0.9999, 0.9999)}},
    {"hyperbolic_more", 2, "radians", judge_radians, {FLOATS}},
    {"hyperbolic_more", 3, "degrees", judge_degrees, {FLOATS}},
    {"rounding", 0, "round", judge_round, {RANGE(-1e6, 1e6)}},
    {"rounding", 1, "roundEven", judge_round_even, {RANGE(-1000, 1000)}},
    {"rounding", 2, "trunc", judge_trunc, {FLOATS}},
    {"rounding", 3, "abs", judge_abs, {FLOATS}},
    {"rounding_more", 0, "floor", judge_floor, {FLOATS}},
    {"rounding_more", 1, "ceil", judge_ceil, {FLOATS}},
    {"rounding_more", 2, "fract", judge_fract, {RANGE(-1000, 1000)}},
    {"rounding_more", 3, "sign", judge_sign, {FLOATS}},
    {"choices", 0, "min", judge_min, {FLOATS, FLOATS}},
    {"choices", 1, "max", judge_max, {FLOATS, FLOATS}},
    {"choices", 2, "clamp", judge_clamp, {FLOATS, FLOATS, FLOATS}},
    {"choices", 3, "step", judge_step, {TEN, TEN}},
    {"blends", 0, "mix", judge_mix, {TEN, TEN, RANGE(0, 1)}},
    {"blends", 1, "smoothstep", judge_smoothstep, {TEN, TEN, RANGE(-20, 20)}},
    {"blends", 2, "fma", judge_fma, {TEN, TEN, TEN}},
    {"blends", 3, "mod", judge_mod, {RANGE(-1000, 1000), TEN}},
    {"arithmetic", 0, "x + y", judge_add, {TEN, TEN}},
    {"arithmetic", 1, "x - y", judge_sub, {FLOATS, FLOATS}},
    {"arithmetic", 2, "x * y", judge_mul, {FLOATS, FLOATS}},
    {"arithmetic", 3, "-x", judge_negate, {FLOATS}},
    {"spirv", 0, "NMin", judge_min, {FLOATS, FLOATS}},
    {"spirv", 1, "NMax", judge_max, {FLOATS, FLOATS}},
    {"spirv", 2, "NClamp", judge_clamp, {FLOATS, FLOATS, FLOATS}},
    {"spirv", 3, "OpFRem", judge_rem, {RANGE(-1000, 1000), TEN}},
    {"geometry", 0, "length", judge_length, {TEN, TEN, TEN}},
    {"geometry", 1, "distance", judge_distance, {TEN, TEN, TEN}},
    {"geometry", 2, "normalize", judge_normalize, {TEN, TEN, TEN}},
    {"geometry", 3, "dot", judge_dot, {TEN, TEN, TEN}},
    {"geometry_more", 0, "cross", judge_cross, {TEN, TEN, TEN}},
    {"geometry_more", 1, "faceforward", judge_faceforward, {TEN, TEN, TEN}},
    {"geometry_more", 2, "reflect", judge_reflect, {RANGE(0.1, 10), RANGE(0.1, 10), TEN}},
    {"geometry_more", 3, "refract", judge_refract, {RANGE(0.1, 10), RANGE(0.1, 10), RANGE(-2, 2)}},
    {"matrices", 0, "determinant 2", judge_det2, {TEN, TEN, TEN}},
    {"matrices", 1, "determinant 3", judge_det3, {TEN, TEN, TEN}},
    {"matrices", 2, "determinant 4", judge_det4, {TEN, TEN, TEN}},
    {"matrices", 3, "inverse 3", judge_inverse, {TEN, TEN, TEN}},
    {"mediump_exponential", 0, "mediump exp2", judge_medium_exp2, {RANGE(-13, 13)}},
    {"mediump_exponential", 1, "mediump log2", judge_medium_log2, {RANGE(1e-3, 16000)}},
    {"mediump_exponential", 2, "mediump exp", judge_medium_exp, {RANGE(-9, 9)}},
    {"mediump_exponential", 3, "mediump log", judge_medium_log, {RANGE(1e-3, 16000)}},
    {"mediump_power", 0, "mediump pow", judge_medium_pow, {RANGE(0.1, 10), RANGE(-3, 3)}},
    {"mediump_power", 1, "mediump sqrt", judge_medium_sqrt, {RANGE(1e-3, 16000)}},
    {"mediump_power", 2, "mediump inversesqrt", judge_medium_inversesqrt, {RANGE(1e-3, 16000)}},
    {"mediump_power", 3, "mediump x / y", judge_medium_divide, {RANGE(0.1, 100), RANGE(0.1, 100)}},
    {"mediump_trig", 0, "mediump sin", judge_medium_sin, {RANGE(-PI, PI)}},
    {"mediump_trig", 1, "mediump cos", judge_medium_cos, {RANGE(-PI, PI)}},
    {"mediump_trig", 2, "mediump atan(y, x)", judge_medium_atan2, {RANGE(0.1, 100), RANGE(0.1, 100)}},
    {"mediump_trig", 3, "mediump atan", judge_medium_atan, {RANGE(-1000, 1000)}},
    {.file = NULL},
};
