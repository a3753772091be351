# SPDX-License-Identifier: MIT
#
# 64-bit floats: functions of one program. Their arguments are made from integers, so that nothing is infinite or NaN.
# Results that IEEE defines to the bit are returned as words. The product of d_fma() is exact: lavapipe rounds it.
from tree import INT

FUNCTIONS = '''
double d_of(ivec2 x) { return double(x.x) + double(x.y & 0xfffff) * (1.0lf / 1048576.0lf) + 0.5lf; }
uvec2 d_bits(precise double x) { return unpackDouble2x32(x); }
uvec2 d_add(ivec2 x, ivec2 y) { precise double r = d_of(x) + d_of(y) * 3.0lf; return d_bits(r == 0.0lf ? 1.0lf : r); }
uvec2 d_sub(ivec2 x, ivec2 y) { precise double r = d_of(x) - d_of(y); return d_bits(r == 0.0lf ? 1.0lf : r); }
uvec2 d_mul(ivec2 x, ivec2 y) { precise double r = d_of(x) * d_of(y); return d_bits(r); }
uvec2 d_div(ivec2 x, ivec2 y) { precise double r = d_of(x) / d_of(y); return d_bits(r); }
uvec2 d_neg(ivec2 x, ivec2 y) { precise double r = -d_of(x) * abs(d_of(y)); return d_bits(r); }
uvec2 d_fma(ivec2 x, ivec2 y) { precise double r = fma(double(x.x >> 12), double(y.x), d_of(y.yx)); return d_bits(r == 0.0lf ? 1.0lf : r); }
uvec2 d_max(ivec2 x, ivec2 y) { return d_bits(max(d_of(x), d_of(y))); }
uvec2 d_clamp(ivec2 x, ivec2 y) { return d_bits(clamp(d_of(x), -7.5lf, double(y.x & 0xffff))); }
uvec2 d_mix(ivec2 x, ivec2 y) { return d_bits(mix(d_of(x), d_of(y), x.x > y.y)); }
uvec2 d_steps(ivec2 x, ivec2 y) { return d_bits(floor(d_of(x)) + ceil(d_of(y)) * 0.25lf + 0.125lf); }
uvec2 d_signs(ivec2 x, ivec2 y) { return d_bits(sign(d_of(x)) + trunc(d_of(y)) + 0.25lf); }
uvec2 d_fract(ivec2 x, ivec2 y) { return d_bits(fract(d_of(x)) + roundEven(d_of(y)) + 0.75lf); }
uvec2 d_vector(ivec2 x, ivec2 y) { precise dvec3 v = dvec3(x, y.x) * 0.5lf + dvec3(y.y); return d_bits(v.x - v.z + 0.0625lf); }
uvec2 d_matrix(ivec2 x, ivec2 y) { dmat2 m = dmat2(dvec2(x & 1023), dvec2(y & 1023)); dvec2 v = m * dvec2(x.y & 63, 3) + dvec2(0.5lf); return d_bits(v.x + v.y); }
uvec2 d_struct(ivec2 x, ivec2 y) { double a[4] = double[](d_of(x), d_of(y), 0.5lf, -3.0lf); return d_bits(a[x.x & 3]); }
uvec2 d_ldexp(ivec2 x, ivec2 y) { return d_bits(ldexp(d_of(x), (y.x & 63) - 31)); }
int d_less(ivec2 x, ivec2 y) { return int(d_of(x) < d_of(y)) + 2 * int(d_of(x) >= d_of(y.yx)); }
int d_equal(ivec2 x, ivec2 y) { return int(d_of(x & 3) == d_of(y & 3)) + 2 * int(d_of(x & 1) != d_of(y & 1)); }
int d_to_int(ivec2 x, ivec2 y) { return int(d_of(x) * 0.5lf - 0.25lf) - int(d_of(y) * 0.5lf - 0.25lf); }
uint d_to_uint(ivec2 x, ivec2 y) { return uint(abs(d_of(x))) ^ uint(abs(d_of(y)) * 0.25lf); }
int d_to_float(ivec2 x, ivec2 y) { return int(float(double(x.x & 0xffff) * 0.25lf) * 4.0) - int(double(float(y.y & 0xffff)) * 0.5lf); }
uvec2 d_dot(ivec2 x, ivec2 y) { return d_bits(dot(dvec3(x & 1023, 3), dvec3(y & 1023, -5)) + 0.5lf); }
uvec2 d_cross(ivec2 x, ivec2 y) { dvec3 v = cross(dvec3(x & 1023, 7), dvec3(2, y & 1023)); return d_bits(v.x + v.y * 4.0lf - v.z + 0.5lf); }
uvec2 d_mod(ivec2 x, ivec2 y) { return d_bits(mod(double(x.x & 0xffff) + 0.5lf, 8.0lf) + step(d_of(x), d_of(y))); }
uvec2 d_parts(ivec2 x, ivec2 y) { double whole; double rest = modf(d_of(x), whole); return d_bits(rest * 2.0lf - whole + 0.0625lf); }
uvec2 d_frexp(ivec2 x, ivec2 y) { int e; double m = frexp(d_of(x), e); return d_bits(m * 8.0lf + double(e)); }
uvec2 d_square(ivec2 x, ivec2 y) { dmat3 m = dmat3(dvec3(x & 63, 1), dvec3(2, y & 63), dvec3(y.yx & 15, 4)); dmat3 p = m * transpose(m); return d_bits(p[0].x + p[1].y * 2.0lf - p[2].x + 0.5lf); }
uvec2 d_determinant(ivec2 x, ivec2 y) { return d_bits(determinant(dmat2(dvec2(x & 1023), dvec2(y & 1023))) + 0.5lf); }
uvec2 d_reflect(ivec2 x, ivec2 y) { dvec2 v = reflect(dvec2(x & 1023), dvec2(0, 1)); return d_bits(v.x - v.y * 2.0lf + 0.25lf); }
int d_root(ivec2 x, ivec2 y) { return int(sqrt(double(x.x & 1023)) + 0.25lf) + int(inversesqrt(double((y.x & 255) + 1)) * 16.0lf + 0.25lf); }
int d_length(ivec2 x, ivec2 y) { return int(length(dvec2(3, -4) * double(x.x & 1023)) + 0.5lf) + int(distance(dvec3(y & 63, 1), dvec3(y & 63, 9)) + 0.5lf); }
bool d_finite(ivec2 x, ivec2 y) { return isnan(d_of(x)) || isinf(d_of(y)) || all(lessThan(dvec2(x), dvec2(y))); }
int d_loop(ivec2 x, ivec2 y) { double s = 0.5lf; for (int i = 0; i < (x.x & 3); i++) s = s * 2.0lf + double(y.x & 255); return int(s); }
'''


def add_doubles(maker):
    maker.extensions += ['GL_ARB_gpu_shader_fp64']
    names = []
    for line in FUNCTIONS.strip().split('\n'):
        result, name = line.split('(')[0].split()
        if name in ('d_of', 'd_bits') or maker.rng.random() < 0.6:
            maker.head(line.replace('%', '%%'))
            names.append((result, name))
    for type, name in names[2:]:
        maker.add_rule(type, (6, f'{name}(%s, %s)', [(INT, 2), (INT, 2)]))
