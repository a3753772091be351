# SPDX-License-Identifier: MIT
#
# Integers of 8 and 16 bits and floats of 16 bits: rules for one program, in addition to those of rules.py. Their operands
# and results are numbers of 32 bits. Floats stay exact.
from tree import FLOAT, INT, UINT, Bound, vec

# T is the narrow type. Sums and products carry into the bits above it, which the next operation must not see.
BOTH_SIGNS = [
    (2, '%s + %s'), (1, '%s - %s'), (2, '%s * %s'), (1, '~(%s ^ %s)'), (2, 'max(%s, %s)'), (2, 'min(%s + T(100), %s)'),
    (1, '(%s & T(15)) | (%s << 3)'), (2, '(%s + %s) >> 2'), (1, '(%s << 2) >> (%s & T(3))'),
    (1, 'clamp(%s, T(3), T(90)) - %s'), (2, '(%s * T(3)) / ((%s & T(7)) + T(2))'), (1, 'mix(%s, %s, lessThan(T(3), T(4)))'),
]
SIGNED_ONLY = [(1, 'abs(max(%s - %s, T(-100)))'), (1, 'sign(%s + %s)'), (1, '-(%s - %s)')]
UNSIGNED_ONLY = [(2, '(%s + %s) %% T(10)'), (1, '(%s - %s) / T(7)')]
COMPARISONS = ['%s + T(1) < %s', '%s - %s == T(0)', '%s * T(5) >= %s', '%s + %s != T(77)']
# Integers of few bits as halves.
HALVES = [
    (2, '%s * T(0.5) + %s', Bound(-96, 96, 1)), (2, '(%s - %s) * T(16)', Bound(-2032, 2032, 0)), (1, 'max(%s, -%s)', Bound(-64, 64, 0)),
    (1, 'floor(%s * T(0.25)) - fract(%s * T(0.5))', Bound(-17, 17, 1)), (1, 'abs(%s) - sign(%s)', Bound(-1, 65, 0)),
    (1, 'mix(%s, %s, T(0.5))', Bound(-64, 64, 1)), (1, 'fma(%s, T(0.5), %s)', Bound(-96, 96, 1)), (1, 'step(%s, %s)', Bound(0, 1, 0)),
    (1, 'clamp(%s, T(-9), T(30)) - trunc(%s * T(0.25))', Bound(-25, 46, 0)), (1, 'ceil(%s * T(0.5)) + min(%s, T(5))', Bound(-96, 37, 0)),
 (1, '%s / T(8) + roundEven(%s * T(0.125))', Bound(-16, 16, 3)),
]


def narrow_type(bits, is_signed, n):
    prefix = f'{"i" if is_signed else "u"}{bits}'
    return f'{prefix}vec{n}' if n > 1 else f'{"" if is_signed else "u"}int{bits}_t'


def add_integers(maker, bits, is_signed, n):
    narrow, wide, base = narrow_type(bits, is_signed, n), vec(INT if is_signed else UINT, n), INT if is_signed else UINT
    for weight, text in BOTH_SIGNS + (SIGNED_ONLY if is_signed else UNSIGNED_ONLY):
        if 'mix(' in text and n == 1:
            continue
        text = text.replace('%s', f'{narrow}(%s)').replace('T(', f'{narrow}(')
        maker.add_rule(wide, (weight, f'{wide}({narrow}({text}))', [(base, n), (base, n)]))
    for text in COMPARISONS if n == 1 else ():
        text = text.replace('%s', f'{narrow}(%s)').replace('T(', f'{narrow}(')
        maker.add_rule('bool', (1, f'({text})', [(base, 1), (base, 1)]))


def add_halves(maker, n):
    narrow, integers, wide = f'f16vec{n}' if n > 1 else 'float16_t', vec(INT, n), vec(FLOAT, n)
    for weight, text, bound in HALVES:
        text = text.replace('%s', f'{narrow}({integers}(%s & 127) - {integers}(64))').replace('T(', f'{narrow}(')
        maker.add_rule(wide, (weight, f'{wide}({text})', [(INT, n), (INT, n)], lambda *bounds, b=bound: b))
    if n > 1:
        dot = f'float(dot({narrow}({integers}(%s & 15)), {narrow}({integers}(%s & 15))))'
        maker.add_rule('float', (1, dot, [(INT, n), (INT, n)], lambda *bounds: Bound(0, 900, 0)))
        square = f'f16mat{n}({", ".join([f"{narrow}({integers}(%s & 7))"] * n)})'
        maker.add_rule(wide, (1, f'{wide}({square} * {narrow}({integers}(%s & 15)))', [(INT, n)] * (n + 1),
                              lambda *bounds: Bound(0, 420, 0)))
    if n == 1:
        maker.add_rule('bool', (1, '(float16_t(%s & 2047) < float16_t(%s & 2047))', [(INT, 1), (INT, 1)]))


def add_narrow(maker):
    maker.extensions.append('GL_EXT_shader_explicit_arithmetic_types')
    for _ in range(maker.rng.randint(1, 3)):
        n = maker.rng.choice((1, 1, 2, 3, 4))
        kind = maker.rng.randrange(5)
        if kind == 4:
            add_halves(maker, n)
        else:
            add_integers(maker, 8 + kind // 2 * 8, kind % 2 == 0, n)
