# SPDX-License-Identifier: MIT
#
# The operations that random expressions consist of. A rule is a weight, a text with a placeholder for each argument,
# and the arguments' types: a base type (i, u, b, f) with as many components as the result, or with the number after it.
# F is a float in the range of variables (tree.STORED). In texts {I} {U} {B} {F} are the vector types of the result's
# size.
#
# A rule for floats also has a function from its arguments' bounds to the bound of its result. Results that would be
# inexact are not generated.
import math
import re

from tree import BOOL, FLOAT, INT, UINT, Bound, vec

# For int and uint; T is the type itself.
INTEGER = [
    (8, '(%s + %s)', 'TT'), (8, '(%s - %s)', 'TT'), (6, '(%s * %s)', 'TT'),
    (5, '(%s & %s)', 'TT'), (5, '(%s | %s)', 'TT'), (5, '(%s ^ %s)', 'TT'), (2, '(~%s)', 'T'), (3, '(-%s)', 'T'),
    (2, '(%s << (%s & 31))', 'Ti'), (2, '(%s >> (%s & 31))', 'Ti'), (2, '(%s << (%s & 31u))', 'Tu'),
    (2, '(%s >> (%s & 31u))', 'Tu'), (1, '(%s << (%s & 31))', 'Ti1'), (1, '(%s >> (%s & 31u))', 'Tu1'),
    (1, '(%s << 3)', 'T'), (1, '(%s >> 5)', 'T'), (1, '(%s >> 24)', 'T'), (1, '(%s << 31)', 'T'),
    (3, 'min(%s, %s)', 'TT'), (3, 'max(%s, %s)', 'TT'), (2, 'clamp(%s, {T}(3), {T}(1000))', 'T'),
    (1, 'bitfieldExtract(%s, %s & 15, %s & 15)', 'Ti1i1'), (1, 'bitfieldExtract(%s, 0, 32)', 'T'),
    (1, 'bitfieldExtract(%s, 3, 29)', 'T'), (1, 'bitfieldExtract(%s, 8, 8)', 'T'), (1, 'bitfieldExtract(%s, 16, 16)', 'T'),
    (1, 'bitfieldInsert(%s, %s, %s & 15, %s & 15)', 'TTi1i1'), (1, 'bitfieldInsert(%s, %s, 0, 32)', 'TT'),
    (1, 'bitfieldInsert(%s, %s, 31, 1)', 'TT'), (1, 'bitfieldInsert(%s, %s, 8, 8)', 'TT'),
    (1, 'bitfieldReverse(%s)', 'T'), (1, '{T}(bitCount(%s))', 'T'), (1, '{T}(findLSB(%s))', 'T'),
    # Mesa 25.0 uses a float's exponent as the bit number even if the float is negative: findMSB(int(-32.0)) gives 4.
    # ZERO is a float whose value no compiler knows.
    (1, '{T}(findMSB(%s ^ {T}(ZERO)))', 'T'), (1, '{T}(findMSB(%s ^ {I}(ZERO)))', 'i'), (1, '{T}(findMSB(%s))', 'u'),
    (2, '{T}(%s)', 'i'), (2, '{T}(%s)', 'u'), (2, '{T}(%s)', 'b'),
    (2, 'mix(%s, %s, %s)', 'TTb'), (1, '(%s / {T}(7))', 'T'), (1, '(%s / {T}(16))', 'T'),
    (1, '(%s * {T}(-1))', 'T'), (1, '(%s + {T}(0))', 'T'), (1, '(%s * {T}(2))', 'T'), (1, '({T}(0) - %s)', 'T'),
    (1, '(%s - %s * {T}(-3))', 'TT'),
]
SIGNED = [
    (2, '(%s / ((%s & 255) | 1))', 'TT'), (1, '(%s / (-2 - (%s & 15)))', 'TT'), (1, '(%s / -5)', 'T'), (1, '(%s / 3)', 'T'),
    (2, '((%s & 0x7fffffff) %% ((%s & 1023) + 1))', 'TT'), (1, '((%s & 0x7fffffff) %% 10)', 'T'),
    # lavapipe assumes that abs() is never negative, which is wrong for the smallest integer
    (2, 'abs(max(%s, {T}(-0x7fffffff)))', 'T'), (2, 'sign(%s)', 'T'), (1, 'clamp(%s, {T}(-100), {T}(77))', 'T'),
    (3, '{I}(%s)', 'f'), (1, 'floatBitsToInt(abs(%s) + 1.0)', 'F'),
    # The rounded values are far from where the result changes: margins.py checks each of these rules.
    (1, '{I}(exp2({F}(%s & 7)) + 0.5)', 'i'), (1, '{I}(exp2(-{F}(%s & 7)) * 128.0 + 0.5)', 'i'),
    (1, '{I}(log2({F}({I}(1) << (%s & 15))) * 2.0 + 0.5)', 'i'), (1, '{I}(sqrt({F}(%s & 255)) + 0.5)', 'i'),
    (1, '{I}(inversesqrt({F}((%s & 255) + 1)) * 16.0 + 0.25)', 'i'),
    (2, '{I}(-1.0 / {F}((%s & 31) + 1) * 4096.0 - 0.5)', 'i'), (1, '{I}(1.0 / {F}(-1 - (%s & 31)) * 4096.0 - 0.5)', 'i'),
    (2, '{I}(({F}(%s & 1023) + 0.5) / {F}((%s & 63) + 1))', 'ii'), (1, '{I}({F}((%s & 1023) * 2 + 1) / -2.0)', 'i'),
    (1, '{I}(pow({F}((%s & 7) + 1), {F}(-1.0)) * 840.0 + 0.5)', 'i'), (1, '{I}(pow({F}((%s & 15) + 1), {F}(2.0)) + 0.5)', 'i'),
    (1, '{I}(pow({F}((%s & 15) + 1), {F}(0.0)) * 8.0 + 0.5)', 'i'), (1, '{I}(pow({F}(2.0), {F}(%s & 7)) + 0.5)', 'i'),
    (1, '{I}(pow({F}((%s & 3) + 1), {F}(-2.0)) * 144.0 + 0.5)', 'i'), (1, '{I}(pow({F}((%s & 15) + 1), {F}(1.0)) + 0.5)', 'i'),
    (1, '{I}(pow({F}(2.0), -{F}(%s & 7)) * 128.0 + 0.5)', 'i'), (1, '{I}(pow({F}(%s & 15), {F}(0.5)) + 0.25)', 'i'),
    (1, '{I}(exp({F}(%s & 3)) + 0.5)', 'i'), (1, '{I}(log({F}((%s & 15) + 1)) * 4.0 + 0.5)', 'i'),
    (1, '{I}(floor(sin({F}(%s & 3)) * 4.0 + 0.5))', 'i'), (1, '{I}(floor(cos({F}(%s & 3)) * 4.0 + 0.5))', 'i'),
    (1, '{I}(atan({F}(%s & 7)) * 4.0 + 0.5)', 'i'), (1, '{I}(atan({F}(%s & 7), {F}((%s & 7) + 1)) * 4.0 + 0.4)', 'ii'),
    (1, '{I}(round({F}(%s & 63) * 0.25 + 0.125))', 'i'), (1, '{I}(sign({F}(%s)))', 'i'),
]
SIGNED_BY_SIZE = {
    1: [(1, 'int(length(vec2(3.0, -4.0) * float(%s & 15)) + 0.5)', 'i1'),
        (1, 'int(distance(vec3(%s & 7, 4.0, 0.0), vec3(%s & 7, 0.0, -3.0)) + 0.3)', 'i1i1'),
        (1, 'int(dot(vec3(%s & 15), vec3(-1.0, 2.0, 0.5)) * 2.0)', 'i1'), (2, '(%s)[%s & 1]', 'i2i1'),
        (2, '(%s)[%s & 3]', 'i4i1'), (2, '(%s).z', 'i3'), (2, '(%s).x', 'i2'), (2, '(%s).w', 'i4')],
    2: [(1, 'ivec2(floor(normalize(vec2(3.0, -4.0) * float((%s & 15) + 1)) * 10.0 + 0.5))', 'i1'),
        (1, 'ivec2(floor(unpackSnorm2x16(%s) * 32767.0 + 0.5))', 'u1'), (2, '(%s).zx', 'i3'), (2, '(%s).yy', 'i2'),
        (2, '(%s).wy', 'i4'), (3, 'ivec2(%s, %s)', 'i1i1')],
    3: [(2, '(%s).zyx', 'i3'), (2, '(%s).wxy', 'i4'), (2, '(%s).yxx', 'i2'), (3, 'ivec3(%s, %s)', 'i2i1'),
        (2, 'ivec3(%s, %s, %s)', 'i1i1i1'), (1, 'ivec3(%s)', 'i1'),
        (1, 'ivec3(reflect(vec3({F1}(%s & 7), 1.0, -2.0), vec3(0.0, 1.0, 0.0)))', 'i1')],
    4: [(1, 'ivec4(floor(unpackSnorm4x8(%s) * 127.0 + 0.5))', 'u1'), (2, '(%s).wzyx', 'i4'), (2, '(%s).zzxy', 'i3'),
        (2, 'ivec4(%s, %s)', 'i2i2'), (2, 'ivec4(%s, %s)', 'i1i3'), (2, 'ivec4(%s, %s, %s, %s)', 'i1i1i1i1')],
}
UNSIGNED = [
    (2, '(%s / (%s | 1u))', 'TT'), (2, '(%s %% (%s | 1u))', 'TT'), (1, '(%s / 10u)', 'T'), (1, '(%s %% 7u)', 'T'),
    (1, '(%s %% 8u)', 'T'), (2, '{U}(abs(%s))', 'f'), (1, 'floatBitsToUint(abs(%s) + 1.0)', 'F'),
    (1, '{U}(exp2({F}(%s & 15u)) + 0.5)', 'u'), (1, '{U}({F}(%s >> 8) / 256.0 + 0.5)', 'u'),
]
UNSIGNED_BY_SIZE = {
    # Mesa 22.3 folds packing functions of constants wrongly.
    1: [(1, 'packHalf2x16(%s + ZERO)', 'F2'), (1, 'packUnorm4x8((vec4(%s & 7) * 2.0 + 1.0) / 16.0 + ZERO)', 'i4'),
        (1, 'packSnorm4x8((vec4(%s & 15) * 2.0 - 15.0) / 16.0 + ZERO)', 'i4'),
        (1, 'packUnorm2x16((vec2(%s & 7) * 2.0 + 1.0) / 16.0 + ZERO)', 'i2'),
        (1, 'packSnorm2x16((vec2(%s & 15) * 2.0 - 15.0) / 16.0 + ZERO)', 'i2'), (1, 'packUnorm4x8(vec4(%s) + ZERO)', 'b4'),
        (2, '(%s)[%s & 1]', 'u2i1'), (2, '(%s)[%s & 3u]', 'u4u1'), (2, '(%s).y', 'u3'), (2, '(%s).x', 'u2')],
    2: [(1, 'uvec2(unpackUnorm2x16(%s) * 65535.0 + 0.5)', 'u1'), (2, '(%s).zx', 'u3'), (2, '(%s).yx', 'u2'),
        (3, 'uvec2(%s, %s)', 'u1u1')],
    3: [(2, '(%s).zyx', 'u3'), (2, '(%s).wxy', 'u4'), (3, 'uvec3(%s, %s)', 'u1u2'), (2, 'uvec3(%s, %s, %s)', 'u1u1u1')],
    4: [(1, 'uvec4(unpackUnorm4x8(%s) * 255.0 + 0.5)', 'u1'), (2, '(%s).wzyx', 'u4'), (2, '(%s).xyxy', 'u2'),
        (2, 'uvec4(%s, %s)', 'u2u2'), (2, 'uvec4(%s, %s)', 'u3u1')],
}
TRUTH = {
    1: [(3, '(%s < %s)', 'i1i1'), (3, '(%s <= %s)', 'i1i1'), (3, '(%s == %s)', 'i1i1'), (3, '(%s != %s)', 'u1u1'),
        (3, '(%s > %s)', 'u1u1'), (3, '(%s >= %s)', 'u1u1'), (3, '(%s < %s)', 'f1f1'), (2, '(%s >= %s)', 'f1f1'),
        (2, '(%s == %s)', 'f1f1'), (1, '(%s != %s)', 'f1f1'), (4, '(%s && %s)', 'b1b1'), (4, '(%s || %s)', 'b1b1'),
        (2, '(%s ^^ %s)', 'b1b1'), (3, '(!%s)', 'b1'), (1, '(%s == %s)', 'b1b1'), (1, 'any(%s)', 'b2'), (1, 'all(%s)', 'b3'),
        (1, 'any(%s)', 'b4'), (1, '(%s == %s)', 'i3i3'), (1, '(%s != %s)', 'f2f2'), (2, 'bool(%s)', 'i1'), (1, 'bool(%s)', 'f1'),
        (2, '((%s & 1) == 0)', 'i1'), (2, '((%s & 3u) != 1u)', 'u1'), (1, 'isnan(%s)', 'f1'), (1, '(!isinf(%s))', 'f1')],
}
for _n in (2, 3, 4):
    TRUTH[_n] = [(2, f'{_op}(%s, %s)', _args) for _op in ('lessThan', 'lessThanEqual', 'greaterThan', 'greaterThanEqual',
                                                         'equal', 'notEqual') for _args in ('ii', 'uu', 'ff')]
    TRUTH[_n] += [(3, 'not(%s)', 'b'), (2, 'equal(%s, %s)', 'bb'), (2, '{B}(%s)', 'i'), (2, '{B}(%s)', 'u'), (1, '{B}(%s)', 'f'),
                  (2, '{B}(%s)', 'b1')]


def product(a, b):
    corners = [x * y for x in (a.lo, a.hi) for y in (b.lo, b.hi)]
    return Bound(min(corners), max(corners), a.g + b.g)


def total(a, b):
    return Bound(a.lo + b.lo, a.hi + b.hi, max(a.g, b.g))


def difference(a, b):
    return Bound(a.lo - b.hi, a.hi - b.lo, max(a.g, b.g))


def either(a, b):
    return Bound(min(a.lo, b.lo), max(a.hi, b.hi), max(a.g, b.g), max(a.err, b.err))


def scaled(k, g=0):
    return lambda a: Bound(min(a.lo * k, a.hi * k), max(a.lo * k, a.hi * k), a.g + g)


def given(lo, hi, g=0):
    return lambda *bounds: Bound(lo, hi, g)


def magnitude(a):
    return Bound(0.0, a.mag, a.g)


def rounded(a):
    return Bound(math.floor(a.lo), math.ceil(a.hi), 0)


def negative(a):
    return Bound(-a.hi, -a.lo, a.g)


def mixed(a, b, c=None):
    """a * (1 - c) + b * c, or a + c * (b - a), with c a multiple of 1/4 up to 1: the intermediate values must be exact,
    too."""
    between = Bound(-(a.mag + b.mag), a.mag + b.mag, max(a.g, b.g) + 2)
    return Bound(min(a.lo, b.lo), max(a.hi, b.hi), between.g) if between.is_exact() else between


def dotted(n):
    def of(a, b):
        p = product(a, b)
        return Bound(-p.mag * n, p.mag * n, p.g)
    return of


def clamped(lo, hi):
    return lambda a: Bound(lo, hi, a.g)


def same(a):
    return a


REAL = [
    (8, '(%s + %s)', 'ff', total), (8, '(%s - %s)', 'ff', difference), (8, '(%s * %s)', 'ff', product),
    (4, '(-%s)', 'f', negative), (3, 'abs(%s)', 'f', magnitude), (1, '(-abs(%s))', 'f', lambda a: Bound(-a.mag, 0.0, a.g)),
    (3, 'floor(%s)', 'f', rounded), (2, 'ceil(%s)', 'f', rounded), (2, 'trunc(%s)', 'f', rounded),
    (1, 'roundEven(%s)', 'f', rounded), (2, 'fract(%s)', 'f', lambda a: Bound(0.0, 1.0, a.g)),
    (2, 'sign(%s)', 'f', given(-1, 1)), (2, 'step(%s, %s)', 'ff', given(0, 1)), (3, 'min(%s, %s)', 'ff', either),
    (3, 'max(%s, %s)', 'ff', either), (2, 'clamp(%s, 0.0, 1.0)', 'f', clamped(0, 1)),
    (1, 'clamp(%s, -1.0, 1.0)', 'f', clamped(-1, 1)), (1, 'max(min(%s, 1.0), 0.0)', 'f', clamped(0, 1)),
    (2, 'mix(%s, %s, {F}(%s & 3) * 0.25)', 'ffi', mixed), (2, 'mix(%s, %s, %s)', 'ffb', lambda a, b, c: either(a, b)),
    (2, 'fma(%s, %s, %s)', 'fff', lambda a, b, c: total(product(a, b), c)),
    (1, 'ldexp(%s, (%s & 3) - 1)', 'fi', lambda a, b: Bound(-4 * a.mag, 4 * a.mag, a.g + 1)),
    (1, 'round({F}(%s & 63) * 0.25 + 0.125)', 'i', given(0, 16)), (1, 'mod({F}((%s & 63) * 2 + 1), 8.0)', 'i', given(0, 8)),
    (1, '{F}(intBitsToFloat(0x3f800000 | (%s & 0x7f0000)))', 'i', given(1, 2, 7)),
    (1, 'uintBitsToFloat(0xc0000000u | (%s & 0x3f0000u))', 'u', given(-4, -2, 7)),
    (4, '{F}(%s & 63)', 'i', given(0, 63)), (3, '({F}(%s & 255) * 0.0625 - 8.0)', 'i', given(-8, 8, 4)),
    (2, '{F}(%s %% 17u)', 'u', given(0, 16)), (3, '{F}(%s)', 'b', given(0, 1)), (1, '{F}(%s >> 8)', 'u', given(0, 2 ** 24)),
    (1, '{F}(%s >> 8)', 'i', given(-2 ** 23, 2 ** 23)), (1, '{F}(%s & 0xffffff)', 'i', given(0, 2 ** 24)),
    (1, '(%s * 1.0)', 'f', same), (1, '(%s + 0.0)', 'f', same), (1, '(0.0 - %s)', 'f', negative),
    (1, '(%s * -1.0)', 'f', negative), (1, '(%s * 0.0)', 'f', given(0, 0)), (1, '(2.0 * %s)', 'f', scaled(2)),
    (1, '(%s * 0.5)', 'f', scaled(0.5, 1)), (1, '(-0.25 * %s)', 'f', scaled(-0.25, 2)), (1, 'abs(-%s)', 'f', magnitude),
    (1, '(-1.0 - %s)', 'f', lambda a: Bound(-1 - a.hi, -1 - a.lo, a.g)),
]
REAL_BY_SIZE = {
    1: [(2, 'dot(%s, %s)', 'f2f2', dotted(2)), (2, 'dot(%s, %s)', 'f3f3', dotted(3)), (1, 'dot(%s, %s)', 'f4f4', dotted(4)),
        (2, '(%s)[%s & 1]', 'f2i1', lambda a, b: a), (2, '(%s)[%s & 3]', 'f4i1', lambda a, b: a), (2, '(%s).z', 'f3', same),
        (2, '(%s).x', 'f2', same), (1, 'determinant(%s)', 'm2', given(-128, 128, 4)),
        (1, 'determinant(%s)', 'm3', given(-3072, 3072, 6))],
    # Not of a constant: lavapipe sets its second half to 0.
    2: [(1, 'unpackHalf2x16(((%s & 0x03ff03ffu) | 0x3c003c00u) + uint(ZERO))', 'u1', given(1, 2, 10)), (2, '(%s).yx', 'f2', same),
        (2, '(%s).xz', 'f3', same), (2, '(%s).ww', 'f4', same), (3, 'vec2(%s, %s)', 'f1f1', either),
        (1, 'unpackHalf2x16(packHalf2x16(%s + ZERO))', 'F2', same),
        (1, '(%s * %s)', 'm2f2', lambda a, b: dotted(2)(Bound(-8, 8, 2), b)),
        (1, '(%s * %s)', 'f2m2', lambda a, b: dotted(2)(Bound(-8, 8, 2), a)),
        (1, '(%s * %s)', 'f3m23', lambda a, b: dotted(3)(Bound(-8, 8, 2), a))],
    3: [(2, '(%s).zyx', 'f3', same), (2, '(%s).xxy', 'f2', same), (2, '(%s).wyz', 'f4', same),
        (3, 'vec3(%s, %s)', 'f1f2', either), (1, 'vec3(%s, %s, %s)', 'f1f1f1', lambda a, b, c: either(either(a, b), c)),
        (1, 'cross(%s, %s)', 'f3f3', dotted(2)), (1, '(%s * %s)', 'm3f3', lambda a, b: dotted(3)(Bound(-8, 8, 2), b)),
        (1, '(%s * %s)', 'f3m3', lambda a, b: dotted(3)(Bound(-8, 8, 2), a)),
        (1, '(%s * %s)', 'm43f4', lambda a, b: dotted(4)(Bound(-8, 8, 2), b)),
        (1, 'reflect(%s, vec3(0.0, -1.0, 0.0))', 'f3', scaled(3)),
        (1, 'faceforward(%s, %s, %s)', 'f3f3f3', lambda a, b, c: Bound(-a.mag, a.mag, a.g)
         if dotted(3)(b, c).is_exact() else dotted(3)(b, c))],
    4: [(2, '(%s).wzyx', 'f4', same), (2, '(%s).zxyz', 'f3', same), (3, 'vec4(%s, %s)', 'f2f2', either),
        (2, 'vec4(%s, %s)', 'f3f1', either), (1, '(%s * %s)', 'm4f4', lambda a, b: dotted(4)(Bound(-8, 8, 2), b)),
        (1, '(%s * %s)', 'f4m4', lambda a, b: dotted(4)(Bound(-8, 8, 2), a)),
        (1, '(%s * %s)', 'm24f2', lambda a, b: dotted(2)(Bound(-8, 8, 2), b))],
}

ULP = 2.0 ** -22  # for a value of at least half its range's magnitude: twice 2^-23


def relative(value, ulps):
    return abs(value) * ULP * ulps


# Inexact functions: the argument's range, the result's range, and the error that Vulkan allows ("Precision and
# Operation of SPIR-V Instructions"), or twice that where a function's error is inherited from several steps.
ROUNDED = [
    ('sin(%s)', (-3, 3), (-1, 1), 2 ** -11), ('cos(%s)', (-3, 3), (-1, 1), 2 ** -11),
    ('tan(%s)', (-1, 1), (-1.56, 1.56), 2 ** -8), ('exp2(%s)', (-6, 6), (0, 64), relative(64, 15)),
    ('exp(%s)', (-4, 4), (0, 55), relative(55, 40)), ('log2(%s)', (0.0625, 32), (-4, 5), max(relative(5, 3), 2 ** -20)),
    ('log(%s)', (0.0625, 32), (-2.8, 3.5), max(relative(3.5, 4), 2 ** -20)),
    ('inversesqrt(%s)', (0.0625, 32), (0.17, 4), relative(4, 4)), ('sqrt(%s)', (0.0625, 32), (0.25, 5.7), relative(5.7, 8)),
    ('(1.0 / %s)', (0.0625, 32), (0, 16), relative(16, 3)), ('(-1.0 / %s)', (0.0625, 32), (-16, 0), relative(16, 3)),
    ('(3.0 / -%s)', (0.0625, 32), (-48, 0), relative(48, 4)), ('pow(%s, {F}(-1.0))', (0.0625, 32), (0, 16), relative(16, 40)),
    ('pow(%s, {F}(-0.5))', (0.0625, 32), (0, 4), relative(4, 40)), ('pow(%s, {F}(1.5))', (0.0625, 16), (0, 64), relative(64, 60)),
    ('pow({F}(3.0), %s)', (-3, 3), (0, 27), relative(27, 60)), ('pow({F}(0.5), -%s)', (-3, 3), (0, 8), relative(8, 60)),
    ('atan(%s)', (-8, 8), (-1.6, 1.6), relative(1.6, 4096)), ('asin(%s)', (-0.75, 0.75), (-0.9, 0.9), relative(1, 16384)),
    ('acos(%s)', (-0.75, 0.75), (0.7, 2.5), relative(2.5, 16384)), ('sinh(%s)', (-2, 2), (-3.7, 3.7), relative(8, 60)),
    ('cosh(%s)', (-2, 2), (1, 3.8), relative(8, 60)), ('tanh(%s)', (-2, 2), (-1, 1), relative(8, 60)),
    ('degrees(%s)', (-3, 3), (-172, 172), relative(172, 3)), ('radians(%s)', (-180, 180), (-3.2, 3.2), relative(3.2, 3)),
    ('smoothstep(0.0, 8.0, %s)', (-32, 32), (0, 1), relative(1, 40)), ('(%s / 3.0)', (-32, 32), (-11, 11), relative(11, 3)),
    ('asinh(%s)', (-4, 4), (-2.1, 2.1), relative(4, 400)), ('(%s * 0.1)', (-32, 32), (-3.2, 3.2), relative(3.2, 3)),
]

_ARGUMENT = re.compile(r'[Tiubf F m](?:\d+)?')


def arguments(text, type_base, n):
    """'Ti1' with n = 3, for ints, becomes [('i', 3), ('i', 1)]; a matrix is ('m', 'mat2x3')."""
    out = []
    for part in _ARGUMENT.findall(text):
        base, count = part[0], part[1:]
        if base == 'm':
            out.append(('m', f'mat{count}' if len(count) == 1 else f'mat{count[0]}x{count[1]}'))
        else:
            out.append((type_base if base == 'T' else base, int(count) if count else n))
    return out


def expand(rule, base, n):
    weight, text, args = rule[:3]
    for key, value in (('{T}', vec(base, n)), ('{I}', vec(INT, n)), ('{U}', vec(UINT, n)), ('{B}', vec(BOOL, n)),
                       ('{F}', vec(FLOAT, n)), ('{F1}', 'float')):
        text = text.replace(key, value)
    return (weight, text, arguments(args, base, n)) + tuple(rule[3:])


class Choice:
    """Rules of one type, chosen by weight."""

    def __init__(self, rules):
        self.rules, self.sums, s = rules, [], 0
        for rule in rules:
            s += rule[0]
            self.sums.append(s)


def table():
    rules = {}
    for n in (1, 2, 3, 4):
        rules[vec(INT, n)] = Choice([expand(r, INT, n) for r in INTEGER + SIGNED + SIGNED_BY_SIZE[n]])
        rules[vec(UINT, n)] = Choice([expand(r, UINT, n) for r in INTEGER + UNSIGNED + UNSIGNED_BY_SIZE[n]])
        rules[vec(BOOL, n)] = Choice([expand(r, BOOL, n) for r in TRUTH[n]])
        rules[vec(FLOAT, n)] = Choice([expand(r, FLOAT, n) for r in REAL + REAL_BY_SIZE[n]])
    return rules


RULES = table()
