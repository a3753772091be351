# SPDX-License-Identifier: MIT
#
# Subgroup operations of every class and type. In compute programs the invocations of a workgroup write what they pass into
# shared memory first, and the reference computes the results from there, for the subgroups of the driver under test: 16
# invocations with consecutive indices. The other stages use functions whose result depends on no other invocation.
from tree import BOOL, INT, UINT, Node

LANES = 16
INTEGERS = {'int8_t': 8, 'uint8_t': 8, 'int16_t': 16, 'uint16_t': 16, 'int': 32, 'uint': 32, 'int64_t': 64, 'uint64_t': 64}
FLOATS = ('float', 'float16_t', 'double')
EXTENSIONS = ['GL_EXT_shader_explicit_arithmetic_types'] + [
    f'GL_KHR_shader_subgroup_{e}' for e in ('basic', 'vote', 'arithmetic', 'ballot', 'shuffle', 'shuffle_relative', 'clustered', 'quad')]
EXTENSIONS += [f'GL_EXT_shader_subgroup_extended_types_{e}' for e in ('int8', 'int16', 'int64', 'float16')]


def of_word(type, x):
    """A value of the type from a uint; floats are small integers."""
    if type in FLOATS:
        return f'({type}({x} & 7u) - {type}(3))'
    if type.endswith('64_t'):
        return f'({type}({x}) * {type}(0x100000001ul))'
    return f'{type}({x})'


def to_word(type, x):
    if type == 'float':
        return f'floatBitsToUint({x})'
    if type == 'float16_t':
        return f'uint(float16BitsToUint16({x}))'
    if type == 'double':
        return f'(unpackDouble2x32({x}).x ^ unpackDouble2x32({x}).y)'
    if type.endswith('64_t'):
        return f'(uint({x}) ^ uint(({x}) >> 32))'
    return f'uint({x})'


def identity(type, op):
    if op in ('Add', 'Or', 'Xor'):
        return f'{type}(0)'
    if op == 'Mul':
        return f'{type}(1)'
    if op == 'And':
        return f'{type}(-1)' if not type.startswith('u') else f'~{type}(0)'
    negative = op == 'Max'
    if type == 'float':
        return f'uintBitsToFloat({"0xff800000u" if negative else "0x7f800000u"})'
    if type == 'float16_t':
        return f'uint16BitsToFloat16(uint16_t({"0xfc00u" if negative else "0x7c00u"}))'
    if type == 'double':
        return f'packDouble2x32(uvec2(0u, {"0xfff00000u" if negative else "0x7ff00000u"}))'
    if type.startswith('u'):
        return f'{type}(0)' if negative else f'~{type}(0)'
    top = f'({type}(1) << {INTEGERS[type] - 1})'
    return top if negative else f'~{top}'


COMBINE = {'Add': 's + x', 'Mul': 's * x', 'Min': 'min(s, x)', 'Max': 'max(s, x)', 'And': 's & x', 'Or': 's | x', 'Xor': 's ^ x'}


def arithmetic(maker, words):
    """A reduction, a scan or a clustered reduction. Returns the two bodies of a function of a word."""
    rng = maker.rng
    type = rng.choice(list(INTEGERS) + list(FLOATS) * 2)
    ops = ['Add', 'Min', 'Max'] if type in FLOATS else list(COMBINE)
    op = rng.choice(ops)
    kind = rng.choice(('', 'Inclusive', 'Exclusive', 'Clustered'))
    size = rng.choice((1, 2, 4, 8, 16)) if kind == 'Clustered' else LANES
    call = f'subgroup{kind}{op}({of_word(type, "x")}{f", {size}" if kind == "Clustered" else ""})'
    end = {'Inclusive': 'i + 1u', 'Exclusive': 'i'}.get(kind, f'min((i & ~{size - 1}u) + {size}u, {maker.size}u)')
    # 16-bit sums and products of two numbers are computed in 32 bits, and min() has no mixed forms.
    loop = (f'uint i = gl_LocalInvocationIndex; {type} s = {identity(type, op)}; '
            f'for (uint k = i & ~{size - 1}u; k < {end}; k++) {{ {type} x = {of_word(type, f"{words}[k]")}; s = {type}({COMBINE[op]}); }} ')
    return f'{type} r = {call}; return {to_word(type, "r")};', loop + f'return {to_word(type, "s")};'


def moved(type, words, index, call):
    value = of_word(type, f'{words}[{index}]')
    return (f'{type} v = {of_word(type, "x")}; {type} r = {call}; return {to_word(type, "r")};',
            f'uint i = gl_LocalInvocationIndex; {type} r = {value}; return {to_word(type, "r")};')


def shuffle(maker, words):
    rng = maker.rng
    type = rng.choice(list(INTEGERS) + list(FLOATS))
    kind = rng.choice(('xor', 'up', 'down', 'any', 'broadcast', 'first', 'quad', 'horizontal', 'vertical', 'diagonal'))
    n, lane = rng.randrange(LANES), 'gl_SubgroupInvocationID'
    if kind == 'xor':
        return moved(type, words, f'i ^ {n}u', f'subgroupShuffleXor(v, {n}u)')
    if kind == 'up':
        return moved(type, words, f'(i & 15u) >= {n}u ? i - {n}u : i', f'subgroupShuffleUp(v, {n}u); r = {lane} >= {n}u ? r : v')
    if kind == 'down':
        return moved(type, words, f'(i & 15u) + {n}u < 16u ? i + {n}u : i',
                     f'subgroupShuffleDown(v, {n}u); r = {lane} + {n}u < 16u ? r : v')
    if kind == 'any':
        return moved(type, words, f'(i & ~15u) + ((i * 5u + {n}u) & 15u)', f'subgroupShuffle(v, ({lane} * 5u + {n}u) & 15u)')
    if kind == 'broadcast':
        return moved(type, words, f'(i & ~15u) + {n}u', f'subgroupBroadcast(v, {n}u)')
    if kind == 'first':
        return moved(type, words, 'i & ~15u', 'subgroupBroadcastFirst(v)')
    if kind == 'quad':
        return moved(type, words, f'(i & ~3u) + {n & 3}u', f'subgroupQuadBroadcast(v, {n & 3}u)')
    step = {'horizontal': 1, 'vertical': 2, 'diagonal': 3}[kind]
    return moved(type, words, f'i ^ {step}u', f'subgroupQuadSwap{kind.capitalize()}(v)')


def vote(maker, words):
    rng = maker.rng
    group = f'uint i = gl_LocalInvocationIndex, b = 0u; for (uint k = i & ~15u; k < min((i & ~15u) + 16u, {maker.size}u); k++) ' \
            f'b |= ({words}[k] & 3u) != 0u ? 1u << (k & 15u) : 0u; uint all = 0xffffu; ' \
            f'if ((i & ~15u) + 16u > {maker.size}u) all = (1u << ({maker.size}u & 15u)) - 1u; '
    own = '(x & 3u) != 0u'
    same = f'uint i = gl_LocalInvocationIndex; bool r = true; for (uint k = i & ~15u; k < min((i & ~15u) + 16u, {maker.size}u); k++) ' \
           f'r = r && ({words}[k] & 1u) == ({words}[i & ~15u] & 1u); return uint(r);'
    lane = 'gl_SubgroupInvocationID'
    return rng.choice((
        (f'return uint(subgroupAny({own}));', group + 'return uint(b != 0u);'),
        (f'return uint(subgroupAll({own}));', group + 'return uint(b == all);'),
        ('return uint(subgroupAllEqual(x & 1u));', same), ('return uint(subgroupAllEqual(int64_t(x & 1u)));', same),
        ('return uint(subgroupAllEqual(float16_t(x & 1u)));', same), ('return uint(subgroupAllEqual(double(x & 1u)));', same),
        ('return uint(subgroupAllEqual(int8_t(x & 1u)));', same), ('return uint(subgroupAllEqual((x & 1u) == 1u));', same),
        (f'return subgroupBallot({own}).x;', group + 'return b;'),
        (f'return subgroupBallotBitCount(subgroupBallot({own}));', group + 'return uint(bitCount(b));'),
        (f'return subgroupBallotInclusiveBitCount(subgroupBallot({own}));', group + 'return uint(bitCount(b & (2u << (i & 15u)) - 1u));'),
        (f'return subgroupBallotExclusiveBitCount(subgroupBallot({own}));', group + 'return uint(bitCount(b & (1u << (i & 15u)) - 1u));'),
        (f'return subgroupBallotFindLSB(subgroupBallot({own}) | uvec4(0x8000u, 0u, 0u, 0u));', group + 'return uint(findLSB(b | 0x8000u));'),
        (f'return subgroupBallotFindMSB(subgroupBallot({own}) | uvec4(1u, 0u, 0u, 0u));', group + 'return uint(findMSB(b | 1u));'),
        (f'return uint(subgroupInverseBallot(subgroupBallot({own}) ^ uvec4(5u, 0u, 0u, 0u)));', group + 'return (b ^ 5u) >> (i & 15u) & 1u;'),
        (f'return uint(subgroupBallotBitExtract(subgroupBallot({own}), 15u - {lane}));', group + 'return b >> (15u - (i & 15u)) & 1u;'),
        ('return uint(subgroupElect()) + 2u * gl_SubgroupID + 64u * gl_SubgroupSize + 4096u * gl_NumSubgroups;',
         f'uint i = gl_LocalInvocationIndex; return uint((i & 15u) == 0u) + 2u * (i / 16u) + 1024u + 4096u * {-(-maker.size // LANES)}u;'),
        (f'subgroupBarrier(); return {lane} ^ x;', 'return (gl_LocalInvocationIndex & 15u) ^ x;'),
        ('return gl_SubgroupEqMask.x ^ gl_SubgroupGtMask.x << 16;',
         'uint i = gl_LocalInvocationIndex & 15u; return 1u << i ^ ((0xfffeu << i) & 0xffffu) << 16;'),
        ('return gl_SubgroupLeMask.x ^ (gl_SubgroupGeMask.x | gl_SubgroupLtMask.x) << 16;',
         'uint i = gl_LocalInvocationIndex & 15u; return (2u << i) - 1u ^ 0xffff0000u;'),
    ))


def add_exchange(maker):
    """Statements of compute programs: a word from all invocations through a subgroup operation."""
    rng = maker.rng
    words = maker.name('sw')
    if not maker.take_shared(4 * maker.size):
        return
    maker.extensions += EXTENSIONS
    maker.program.has_twin = True
    maker.head(f'shared uint {words}[{maker.size}];')
    names = []
    for _ in range(rng.randint(8, 16)):
        makers = [arithmetic, arithmetic, vote] + [shuffle] * (3 if maker.size % LANES == 0 else 0)
        special, plain = rng.choice(makers)(maker, words)
        if 'GtMask' in special and maker.size % LANES:
            continue
        name = maker.name('sx')
        text = f'#ifdef PLAIN\nuint {name}(uint x) {{ {plain} }}\n#else\nuint {name}(uint x) {{ {special} }}\n#endif'
        maker.head(text.replace('%', '%%'))
        names.append(name)

    def unit():
        name, kids = maker.name(), [maker.expression('uint', 3)]
        maker.declare(name, 'uint', True)
        if maker.depth == 0:
            maker.main_locals.append((name, 'uint'))
        return Node('s', f'{words}[gl_LocalInvocationIndex] = %s;\nbarrier();\n'
                         f'uint {name} = {rng.choice(names)}({words}[gl_LocalInvocationIndex]);\nbarrier();', kids)
    if names:
        maker.uniform_units += [unit] * 3
        maker.musts += [unit] * rng.randint(2, 5)


# Results that depend on no other invocation, for any number of active ones: with the operations, and without them.
ALONE = [
    ('uint', 'add', 'uint x', 'return subgroupInclusiveAdd(x) - subgroupExclusiveAdd(x);', 'return x;', [(UINT, 1)]),
    ('int', 'xor8', 'int x', 'return int(subgroupInclusiveXor(int8_t(x)) ^ subgroupExclusiveXor(int8_t(x)));', 'return int(int8_t(x));', [(INT, 1)]),
    ('uint', 'add16', 'uint x', 'return uint(uint16_t(subgroupInclusiveAdd(uint16_t(x)) - subgroupExclusiveAdd(uint16_t(x))));',
     'return uint(uint16_t(x));', [(UINT, 1)]),
    ('uvec2', 'add64', 'uvec2 x', 'return unpackUint2x32(subgroupInclusiveAdd(packUint2x32(x)) - subgroupExclusiveAdd(packUint2x32(x)));',
     'return x;', [(UINT, 2)]),
    ('int', 'addf', 'int x', 'return int(subgroupInclusiveAdd(float(x & 31)) - subgroupExclusiveAdd(float(x & 31)));', 'return x & 31;', [(INT, 1)]),
    ('int', 'addh', 'int x', 'return int(subgroupInclusiveAdd(float16_t(x & 31)) - subgroupExclusiveAdd(float16_t(x & 31)));', 'return x & 31;', [(INT, 1)]),
    ('int', 'addd', 'int x', 'return int(subgroupInclusiveAdd(double(x)) - subgroupExclusiveAdd(double(x)));', 'return x;', [(INT, 1)]),
    ('bool', 'min64', 'uvec2 x', 'int64_t y = int64_t(packUint2x32(x)); return subgroupMin(y) <= y && subgroupMax(y) >= y;', 'return true;', [(UINT, 2)]),
    ('uint', 'count', 'bool b', 'return subgroupBallotBitCount(subgroupBallot(b)) == subgroupAdd(b ? 1u : 0u) ? 3u : 4u;', 'return 3u;', [(BOOL, 1)]),
    ('bool', 'any', 'bool b', 'return subgroupAny(b) == (subgroupBallot(b).x != 0u) && subgroupAll(b) == (subgroupBallot(!b).x == 0u);', 'return true;', [(BOOL, 1)]),
    ('bool', 'inverse', 'bool b', 'return subgroupInverseBallot(subgroupBallot(b));', 'return b;', [(BOOL, 1)]),
    ('uint', 'elect', '', 'return subgroupAdd(subgroupElect() ? 1u : 0u);', 'return 1u;', []),
    ('uvec2', 'shuffle', 'uvec2 x', 'return subgroupShuffle(x, gl_SubgroupInvocationID);', 'return x;', [(UINT, 2)]),
    ('int', 'shuffle8', 'int x', 'return int(subgroupShuffleXor(int8_t(x), 0u)) + int(subgroupShuffleUp(int16_t(x), 0u));',
     'return int(int8_t(x)) + int(int16_t(x));', [(INT, 1)]),
    ('int', 'down', 'int x', 'return int(subgroupShuffleDown(double(x), 0u));', 'return x;', [(INT, 1)]),
    ('ivec3', 'cluster', 'ivec3 x', 'return subgroupClusteredAdd(x, 1u) ^ subgroupClusteredMax(x, 1u);', 'return x ^ x;', [(INT, 3)]),
    ('bool', 'clusters', 'uint x', 'return subgroupClusteredOr(x, 16u) == subgroupOr(x) && (subgroupClusteredAnd(x, 4u) | x) == x;', 'return true;', [(UINT, 1)]),
    ('bool', 'first', 'int x', 'return subgroupAllEqual(subgroupBroadcastFirst(x)) && subgroupAny(subgroupBroadcastFirst(x) == x);', 'return true;', [(INT, 1)]),
    ('bool', 'rank', 'int x', 'return subgroupExclusiveAdd(1u) == subgroupBallotExclusiveBitCount(subgroupBallot(true));', 'return true;', [(INT, 1)]),
    ('bool', 'masks', '', 'return (subgroupBallot(true).x & gl_SubgroupEqMask.x) == 1u << gl_SubgroupInvocationID && gl_SubgroupSize == 16u;',
     'return true;', []),
]


def add_alone(maker):
    maker.extensions += EXTENSIONS
    maker.program.has_twin = True
    for result, name, parameters, special, plain, arguments in maker.rng.sample(ALONE, maker.rng.randint(12, len(ALONE))):
        name = f'sy_{name}'
        maker.head(f'#ifdef PLAIN\n{result} {name}({parameters}) {{ {plain} }}\n#else\n'
                   f'{result} {name}({parameters}) {{ {special} }}\n#endif')
        maker.add_rule(result, (5, f'{name}({", ".join(["%s"] * len(arguments))})', arguments))
