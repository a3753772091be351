# SPDX-License-Identifier: MIT
#
# 64-bit integers: functions of one program whose arguments and results are pairs of words, so that expressions nest them
# with everything else.
from tree import BOOL, INT, UINT

FUNCTIONS = '''
#ifdef PLAIN
int64_t li_wide(int x) { return int64_t(packUint2x32(uvec2(x, x >> 31))); }
#else
int64_t li_wide(int x) { return int64_t(x); }
#endif
uint64_t li(uvec2 x) { return packUint2x32(x); }
uvec2 lw(uint64_t x) { return unpackUint2x32(x); }
uvec2 lw(int64_t x) { return unpackUint2x32(uint64_t(x)); }
uvec2 li_add(uvec2 x, uvec2 y) { return lw(li(x) + li(y)); }
uvec2 li_sub(uvec2 x, uvec2 y) { return lw(li(x) - li(y)); }
uvec2 li_mul(uvec2 x, uvec2 y) { return lw(li(x) * li(y)); }
uvec2 li_udiv(uvec2 x, uvec2 y) { return lw(li(x) / (li(y) | 1ul)); }
uvec2 li_umod(uvec2 x, uvec2 y) { return lw(li(x) % (li(y) | 1ul)); }
uvec2 li_sdiv(uvec2 x, uvec2 y) { return lw(int64_t(li(x)) / int64_t(li(y) >> 2 | 1ul)); }
uvec2 li_ndiv(uvec2 x, uint y) { return lw(int64_t(li(x)) / (-2l - int64_t(y))); }
uvec2 li_smod(uvec2 x, uvec2 y) { return lw(int64_t(li(x) >> 1) % int64_t(li(y) >> 3 | 1ul)); }
uvec2 li_neg(uvec2 x) { return lw(-int64_t(li(x))); }
uvec2 li_not(uvec2 x) { return lw(~li(x)); }
uvec2 li_and(uvec2 x, uvec2 y) { return lw(li(x) & li(y)); }
uvec2 li_or(uvec2 x, uvec2 y) { return lw(li(x) | li(y)); }
uvec2 li_xor(uvec2 x, uvec2 y) { return lw(li(x) ^ li(y)); }
uvec2 li_shl(uvec2 x, uint n) { return lw(li(x) << (n & 63u)); }
uvec2 li_shr(uvec2 x, uint n) { return lw(li(x) >> (n & 63u)); }
uvec2 li_asr(uvec2 x, int n) { return lw(int64_t(li(x)) >> (n & 63)); }
uvec2 li_umin(uvec2 x, uvec2 y) { return lw(min(li(x), li(y))); }
uvec2 li_smax(uvec2 x, uvec2 y) { return lw(max(int64_t(li(x)), int64_t(li(y)))); }
uvec2 li_clamp(uvec2 x, uint y) { return lw(clamp(int64_t(li(x)), -int64_t(y), 77l)); }
uvec2 li_abs(uvec2 x) { return lw(abs(int64_t(li(x) | 1ul))); }
uvec2 li_sign(uvec2 x) { return lw(sign(int64_t(li(x)))); }
uvec2 li_of_int(int x) { return lw(li_wide(x)); }
uvec2 li_of_uint(uint x) { return lw(uint64_t(x)); }
uvec2 li_of_float(uint x) { return lw(uint64_t(uintBitsToFloat(0x3f800000u + x % 0x1f800000u))); }
uvec2 li_of_bool(bool x, uvec2 y) { return lw(x ? li(y) : 5ul); }
uvec2 li_vector(uvec4 x) { u64vec2 v = u64vec2(li(x.xy), li(x.zw)) * u64vec2(x.wx) / u64vec2(x.y | 1u, 10ul); return lw(v.x ^ v.y); }
uvec2 li_vector_signed(ivec4 x) { i64vec2 v = (i64vec2(x.xy) * i64vec2(x.zw)) >> i64vec2(x.zw & 31); return lw(v.x - v.y); }
int li_word(uvec2 x, uint n) { return int(int64_t(li(x)) >> (n & 31u)); }
uint li_bits(uvec2 x) { return floatBitsToUint(float(li(x) >> 40)) ^ floatBitsToUint(float(int64_t(li(x)) >> 40)); }
bool li_ult(uvec2 x, uvec2 y) { return li(x) < li(y); }
bool li_slt(uvec2 x, uvec2 y) { return int64_t(li(x)) < int64_t(li(y)); }
bool li_uge(uvec2 x, uvec2 y) { return li(x) >= li(y); }
bool li_sge(uvec2 x, uvec2 y) { return int64_t(li(x)) >= int64_t(li(y)); }
bool li_equal(uvec2 x, uvec2 y) { return li(x) == (li(y) & ~1ul); }
bvec2 li_both(uvec4 x, ivec4 y) { return lessThanEqual(i64vec2(li(x.xy), li(x.zw)), i64vec2(li_wide(y.x), li_wide(y.w))); }
'''  # lavapipe takes a constant 0 for less than a converted int that is negative
TWO = [(UINT, 2), (UINT, 2)]
RULES = [('uvec2', f'{name}(%s, %s)', TWO) for name in (
    'li_add', 'li_sub', 'li_mul', 'li_udiv', 'li_umod', 'li_sdiv', 'li_smod', 'li_and', 'li_or', 'li_xor', 'li_umin', 'li_smax')]
RULES += [('uvec2', f'{name}(%s)', [(UINT, 2)]) for name in ('li_neg', 'li_not', 'li_abs', 'li_sign')]
RULES += [('uvec2', f'{name}(%s, %s)', [(UINT, 2), (UINT, 1)]) for name in ('li_ndiv', 'li_shl', 'li_shr', 'li_clamp')]
RULES += [('bool', f'{name}(%s, %s)', TWO) for name in ('li_ult', 'li_slt', 'li_uge', 'li_sge', 'li_equal')]
RULES += [
    ('uvec2', 'li_asr(%s, %s)', [(UINT, 2), (INT, 1)]), ('uvec2', 'li_of_int(%s)', [(INT, 1)]),
    ('uvec2', 'li_of_uint(%s)', [(UINT, 1)]), ('uvec2', 'li_of_float(%s)', [(UINT, 1)]),
    ('uvec2', 'li_of_bool(%s, %s)', [(BOOL, 1), (UINT, 2)]), ('uvec2', 'li_vector(%s)', [(UINT, 4)]),
    ('uvec2', 'li_vector_signed(%s)', [(INT, 4)]), ('int', 'li_word(%s, %s)', [(UINT, 2), (UINT, 1)]),
    ('uint', 'li_bits(%s)', [(UINT, 2)]), ('bvec2', 'li_both(%s, %s)', [(UINT, 4), (INT, 4)]),
]


def add_int64(maker):
    maker.extensions += ['GL_EXT_shader_explicit_arithmetic_types_int64', 'GL_ARB_gpu_shader_int64']
    maker.program.has_twin = True
    for line in FUNCTIONS.strip().split('\n'):
        maker.head(line)
    for type, text, arguments in RULES:
        maker.add_rule(type, (2, text, arguments))
