# SPDX-License-Identifier: MIT
#
# Functions whose bodies assembly.py replaces by instructions that GLSL has no words for. The GLSL here is what the reference
# runs. Their names end in the stage's number, because all modules of a program share the list of rewrites.
import struct

from tree import BOOL, FLOAT, INT, UINT, Bound, Node, vec

# Result, name, parameters, body, and the rewrite with its arguments after the name. {n} is the name.
WAYS = [
    ('int', 'srem', [(INT, 1), (INT, 1)], 'int d = (b & 255) | 1; return a - d * (a / d);', ('remainder',)),
    ('float', 'frem', [('F', 1)], 'return a - 8.0 * trunc(a / 8.0);', ('float_remainder',)),
    ('bool', 'unordered_less', [('F', 1), ('F', 1)], 'return a < b;', ('plain_op', 'OpFUnordLessThan')),
    ('bool', 'unordered_ge', [('F', 1), ('F', 1)], 'return a >= b;', ('plain_op', 'OpFUnordGreaterThanEqual')),
    ('bvec3', 'unordered_less_v', [('F', 3), ('F', 3)], 'return lessThan(a, b);', ('plain_op', 'OpFUnordLessThan')),
    ('bvec2', 'unordered_greater', [('F', 2), ('F', 2)], 'return greaterThan(a, b);', ('plain_op', 'OpFUnordGreaterThan')),
    ('bool', 'unordered_le', [('F', 1), ('F', 1)], 'return a <= b;', ('plain_op', 'OpFUnordLessThanEqual')),
    ('bool', 'unordered_equal', [('F', 1), ('F', 1)], 'return a == b;', ('plain_op', 'OpFUnordEqual')),
    ('bool', 'ordered_differ', [('F', 1), ('F', 1)], 'return a != b;', ('plain_op', 'OpFOrdNotEqual')),
    ('float', 'quantize', [('F', 1)], 'return a;', ('plain_op', 'OpQuantizeToF16')),
    ('vec2', 'nmin', [('F', 2), ('F', 2)], 'return min(a, b);', ('extended', 'NMin')),
    ('float', 'nmax', [('F', 1), ('F', 1)], 'return max(a, b);', ('extended', 'NMax')),
    ('float', 'nclamp', [('F', 1)], 'return clamp(a, -32.0, 32.0);', ('nclamp',)),
    ('uvec4', 'insert', [(UINT, 4), (UINT, 1), (UINT, 1)], 'a[c & 3u] = b; return a;', ('insert_dynamic',)),
    ('uint', 'copy', [(UINT, 1), (UINT, 1), (UINT, 1)], 'uint v[4] = uint[](0u, a, b, 0u); return v[c & 3u];', ('copy_memory',)),
    ('uint', 'composite', [(UINT, 1), (UINT, 1), (BOOL, 1)], 'return c ? a : b;', ('composite',)),
    ('uint', 'switch8', [(UINT, 1)], 'return 11u * uint[](1u, 4u, 4u, 2u, 4u, 4u, 3u, 4u)[a & 7u];', ('switch_of', 8)),
    ('uint', 'switch16', [(UINT, 1)], 'return 11u * uint[](1u, 4u, 4u, 2u, 4u, 4u, 3u, 4u)[a & 7u];', ('switch_of', 16)),
    ('uint', 'switch64', [(UINT, 1)], 'return 11u * uint[](1u, 4u, 4u, 2u, 4u, 4u, 3u, 4u)[a & 7u];', ('switch_of', 64)),
    ('uvec2', 'of_int64', [(UINT, 2)], 'return a;', ('bits_of', 'int64')),
    ('uvec2', 'of_double', [(UINT, 2)], 'return uvec2(a.x, a.y & 0xfffffu | 0x3ff00000u);', ('bits_of', 'double')),
    ('uint', 'of_int16s', [(UINT, 1)], 'return a;', ('bits_of', 'int16')),
    ('uint', 'of_int8s', [(UINT, 1)], 'return a;', ('bits_of', 'int8')),
]
NEWER = [  # of SPIR-V 1.4
    ('uint', 'logical', [(UINT, 1), (UINT, 1)], 'return a - b;', ('copy_logical',)),
]
STORED = Bound(-32.0, 32.0, 4)


def parameter_type(base, n):
    return vec(FLOAT if base == 'F' else base, n)


def define(maker, result, name, parameters, body, rewrite, weight=8):
    """Declares one function, its rewrite and its rule."""
    name = f'x_{name}_{maker.stage}'
    texts = ', '.join(f'{parameter_type(*p)} {letter}' for p, letter in zip(parameters, 'abcd'))
    maker.head(f'{result} {name}({texts}) {{ {body} }}')
    maker.program.rewrites.append([rewrite[0], name, *rewrite[1:]])
    maker.program.has_twin = True
    if result == 'void':
        return name
    rule = (weight, f'{name}({", ".join(["%s"] * len(parameters))})', parameters)
    maker.add_rule(result, rule + (lambda *bounds: STORED,) if result in ('float', 'vec2') else rule)
    return name


SATURATED = {
    'S': 'int t = s + c; return ((s ^ t) & (c ^ t)) < 0 ? (c < 0 ? int(0x80000000u) : 0x7fffffff) : t;',
    'U': 'uint t = s + c; return t < s ? 0xffffffffu : t;',
}


def add_dot(maker):
    """A dot product of bytes in words, or of vectors of 8, 16 or 32 bits."""
    rng = maker.rng
    kind = rng.choice(('S', 'U', 'SU'))
    saturates = rng.random() < 0.4
    bits = rng.choice(('packed', 'packed', 8, 8, 16) + (() if saturates else (32,)))
    n = 4 if bits == 'packed' else rng.choice((4, 4, 2, 3))
    result = 'uint' if kind == 'U' else 'int'
    signs = {'S': (INT, INT), 'U': (UINT, UINT), 'SU': (INT, UINT)}[kind]
    products = []
    for k in range(n):
        parts = []
        for letter, base in zip('ab', signs):
            if bits == 'packed':
                part = f'bitfieldExtract({vec(base, 1)}({letter}), {8 * k}, 8)'
            else:
                part = f'bitfieldExtract({letter}.{"xyzw"[k]}, 0, {bits})'
            parts.append(f'{result}({part})')
        products.append(' * '.join(parts))
    parameters = [(UINT, 1)] * 2 if bits == 'packed' else [(base, n) for base in signs]
    body = f'{result} s = {" + ".join(products)}; ' + (SATURATED[kind[0]] if saturates else 'return s;')
    if saturates:
        parameters.append((UINT if kind == 'U' else INT, 1))
    name = f'dot{maker.name("")}'
    define(maker, result, name, parameters, body, ('dot', f'Op{kind}Dot' + 'AccSat' * saturates, n, bits), 15)


def add_pointers(maker):
    """Variable pointers into two arrays of a storage buffer."""
    rng = maker.rng
    binding, block = maker.binding(), f'Bp{maker.stage}'
    data = struct.pack('<32I', *[rng.getrandbits(32) for _ in range(32)])
    maker.head(f'layout(std430, binding = {binding}) readonly buffer {block} {{ uint p[16]; uint q[16]; }} bp{maker.stage};')
    maker.add_resource(binding, 7, data, [UINT])
    b = f'bp{maker.stage}'
    either = f'return c ? {b}.p[a & 15u] : {b}.q[b & 15u];'
    choice = [(UINT, 1), (UINT, 1), (BOOL, 1)]
    ways = [('uint', f'pointer_{k}', choice, either, (f'pointer_{k}', block)) for k in ('select', 'phi', 'memory', 'function')]
    ways.append(('uint', 'pointer_walk', [(UINT, 1), (UINT, 1)],
                 f'uint s = 0u; for (uint k = 0u; k < (b & 7u); k++) s = s * 3u + {b}.p[(a & 7u) + k]; return s;',
                 ('pointer_walk', block)))
    if maker.program.target:
        for name, result, body in (('Equal', 'bool', '(a & 15u) == (b & 15u)'), ('NotEqual', 'bool', '(a & 15u) != (b & 15u)'),
                                   ('Diff', 'int', 'int(a & 15u) - int(b & 15u)')):
            ways.append((result, f'pointer_{name}', [(UINT, 1), (UINT, 1)], f'return {body};',
                         ('pointer_compare', block, f'OpPtr{name}')))
    for way in rng.sample(ways, rng.randint(2, 5)):
        define(maker, *way, 15)


def add_stores(maker, place, count):
    """Stores through pointers; each invocation has its own elements."""
    rng = maker.rng
    binding, block = maker.binding(), f'Bs{maker.stage}'
    data = struct.pack(f'<{2 * count}I', *[rng.getrandbits(32) for _ in range(2 * count)])
    maker.head(f'layout(std430, binding = {binding}) buffer {block} {{ uint p[{count}]; uint q[{count}]; }} bs{maker.stage};')
    maker.add_resource(binding, 7, data, [UINT])
    b = f'bs{maker.stage}'
    name = define(maker, 'void', 'pointer_store', [(UINT, 1), (UINT, 1), (BOOL, 1)],
                  f'if (c) {b}.p[a] = b; else {b}.q[a] = b;', ('pointer_store', block))
    maker.units.append(lambda: Node('s', f'{name}({place}, %s, %s);',
                                    [maker.expression('uint', 3), maker.expression('bool', 2)]))
    maker.add_rule('uint', (6, f'{b}.p[{place}]', []))
    maker.add_rule('uint', (6, f'{b}.q[{place}]', []))


def add_shared_pointers(maker):
    """Pointers into workgroup memory. Returns the statement that fills it, which must be main's first."""
    first, second = 'xs1', 'xs2'
    maker.head(f'shared uint {first}[16];')
    maker.head(f'shared uint {second}[16];')
    define(maker, 'uint', 'shared_select', [(UINT, 1), (UINT, 1), (BOOL, 1)],
           f'return c ? {first}[a & 15u] : {second}[b & 15u];', ('shared_select', first, second), 15)
    step = min(maker.size, 16)
    return (f'for (uint xk = gl_LocalInvocationIndex; xk < 16u; xk += {step}u) {{ {first}[xk] = xk * 77u; {second}[xk] = ~xk; }}\n'
            f'barrier();')


def add_otherwise(maker):
    rng = maker.rng
    ways = WAYS + NEWER * 2 if maker.program.target else WAYS
    for way in rng.sample(ways, rng.randint(4, 10)):
        if f'x_{way[1]}_{maker.stage}' not in [r[1] for r in maker.program.rewrites]:
            define(maker, *way)
    for _ in range(rng.choice((1, 1, 2, 3))):
        add_dot(maker)


MODES = ('RoundingModeRTZ 32', 'DenormFlushToZero 32', 'RoundingModeRTE 64', 'DenormPreserve 64',
         'SignedZeroInfNanPreserve 64')


def add_float_controls(program, rng):
    program.rewrites.append(['float_controls', rng.sample(MODES, rng.randint(1, 4))])
    program.has_twin = True
