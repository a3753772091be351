# SPDX-License-Identifier: MIT
#
# Textures, storage images and subgroup operations: rules for one program, in addition to those of rules.py.
#
# Lookups sample texel centers, so that neither the filter nor the last bit of a coordinate changes the result.
import struct

from layout import random_word
from tree import FLOAT, INT, STORED, UINT, Node

# GLSL's name as a storage image: VkFormat, bytes per texel, base type, components
FORMATS = {
    'rgba8': (37, 4, FLOAT, 4), 'rgba8ui': (41, 4, UINT, 4), 'rgba8i': (42, 4, INT, 4), 'rg16ui': (81, 4, UINT, 2),
    'rgba16f': (97, 8, FLOAT, 4), 'r32ui': (98, 4, UINT, 1), 'r32i': (99, 4, INT, 1), 'r32f': (100, 4, FLOAT, 1),
    'rgba32ui': (107, 16, UINT, 4), 'rgba32i': (108, 16, INT, 4), 'rgba32f': (109, 16, FLOAT, 4),
}
VIEWS = {'1D': (0, 1), '2D': (1, 2), '3D': (2, 3), '2DArray': (5, 2)}  # VkImageViewType, components of a coordinate


def texel(rng, name):
    _, size, base, n = FORMATS[name]
    if name == 'rgba8':
        return bytes(rng.randrange(256) for _ in range(4))
    if name == 'rgba16f':
        return struct.pack('<4e', *[rng.randint(-512, 512) / 16 for _ in range(4)])
    if size == 4 * n:
        return b''.join(random_word(rng, base, False) for _ in range(n))
    return bytes(rng.getrandbits(8) for _ in range(size))


def add_texture(maker):
    rng = maker.rng
    format = rng.choice(list(FORMATS))
    view = rng.choice(('2D', '2D', '2D', '3D', '2DArray', '1D'))
    number, size, base, _ = FORMATS[format]
    kind, n = VIEWS[view]
    extent = [rng.choice((1, 2, 4, 8, 8, 3, 5)) if i < n else 1 for i in range(3)]
    layers = rng.choice((1, 2, 3)) if view == '2DArray' else 1
    levels = 1
    while levels < 3 and max(extent) >> levels and rng.random() < 0.4:
        levels += 1
    data = bytearray()
    for level in range(levels):
        w, h, d = (max(e >> level, 1) for e in extent)
        part = b''.join(texel(rng, format) for _ in range(w * h * d * layers))
        data += part + bytes(-len(part) % 16)
    filter = rng.randrange(2) if format == 'rgba8' else 0
    wraps = [rng.randrange(4) for _ in range(2)]
    binding, name = maker.binding(), maker.name('t')
    prefix = {INT: 'i', UINT: 'u', FLOAT: ''}[base]
    maker.head(f'layout(binding = {binding}) uniform {prefix}sampler{view} {name};')
    image = (number, size, kind, *extent, layers, levels, filter, filter, 0, *wraps)
    maker.add_resource(binding, 1, bytes(data), None, image)

    def add(weight, text, arguments, n=4):
        if format == 'rgba8':  # converted back to bytes
            maker.add_rule(f'uvec{n}', (weight, f'uvec{n}({text} * 255.0 + 0.5)', arguments))
        elif base == FLOAT:
            maker.add_rule(f'vec{n}', (weight, text, arguments, lambda *bounds: STORED))
        else:
            maker.add_rule(f'{prefix}vec{n}', (weight, text, arguments))

    def place(sizes):
        """The coordinates of a texel: text and arguments."""
        parts = [f'int(%s %% {s}u)' for s in sizes]
        return (parts[0] if len(parts) == 1 else f'ivec{len(parts)}({", ".join(parts)})'), [(UINT, 1)] * len(parts)

    for level in range(levels):
        sizes = [max(e >> level, 1) for e in extent[:n]] + ([layers] if view == '2DArray' else [])
        text, arguments = place(sizes)
        add(3, f'texelFetch({name}, {text}, {level})', arguments)
        inner = sizes[:n]
        vector = 'float' if n == 1 else f'vec{n}'
        middle = f'({vector}({", ".join(f"%s %% {s}u" for s in inner)}) + 0.5) / {vector}({", ".join(f"{s}.0" for s in inner)})'
        shift = '' if rng.random() < 0.5 else f' + {rng.choice((-1.0, 1.0, 2.0))}'
        where = f'{middle}{shift}'
        arguments = [(UINT, 1)] * n
        if view == '2DArray':
            where, arguments = f'vec3({where}, float(%s %% {layers}u))', arguments + [(UINT, 1)]
        add(3, f'textureLod({name}, {where}, {level}.0)', arguments)
        if levels == 1 and maker.has_derivatives:
            add(3, f'texture({name}, {where})', arguments)
            add(1, f'texture({name}, {where}, -1.0)', arguments)
        if view == '2D' and level == 0:
            corner = f'vec2({", ".join(f"%s %% {s}u" for s in inner)}) / vec2({inner[0]}.0, {inner[1]}.0)'
            add(1, f'textureGather({name}, {corner}, {rng.randrange(4)})', [(UINT, 1)] * 2)
            if min(inner) >= 4:
                add(1, f'texelFetchOffset({name}, ivec2((%s & 1) + 1, (%s & 1) + 1), {level}, ivec2({rng.randint(-1, 1)}, '
                       f'{rng.randint(-1, 1)}))', [(INT, 1)] * 2)
        count = len(sizes)
        maker.add_rule('int' if count == 1 else f'ivec{count}', (1, f'textureSize({name}, {level})', []))
    maker.add_rule('int', (1, f'textureQueryLevels({name})', []))


def add_image(maker, where, width, height):
    """Adds a storage image in which each invocation has its own texel."""
    rng = maker.rng
    format = rng.choice([f for f in FORMATS if f not in ('rgba8', 'rg16ui', 'rgba16f')])
    number, size, base, n = FORMATS[format]
    binding, name = maker.binding(), maker.name('im')
    prefix = {INT: 'i', UINT: 'u', FLOAT: ''}[base]
    maker.head(f'layout({format}, binding = {binding}) uniform {prefix}image2D {name};')
    data = b''.join(texel(rng, format) for _ in range(width * height))
    maker.add_resource(binding, 3, data + bytes(-len(data) % 16), [base if size == 4 * n else UINT],
                       (number, size, 1, width, height, 1, 1, 1, 0, 0, 0, 0, 0))
    if format == 'r32f':
        maker.extensions += ['GL_EXT_shader_atomic_float', 'GL_EXT_shader_atomic_float2']
    type = f'{prefix}vec4'
    narrow = {'rgba8ui': ' & 255u', 'rgba8i': ' & 127'}.get(format, '')

    def unit():
        value = maker.fitting(type, 3)
        if rng.random() < 0.5:
            return Node('s', f'imageStore({name}, {where}, %s{narrow});', [value])
        if n == 1 and base == FLOAT and rng.random() < 0.5:
            op = rng.choice(('Exchange', 'Min', 'Max'))
            return Node('s', f'%s = imageAtomic{op}({name}, {where}, %s);', [maker.reference('float', []), maker.fitting('float', 3)])
        if n == 1 and base != FLOAT and rng.random() < 0.5:
            op = rng.choice(('Add', 'Or', 'Xor', 'Max', 'Min', 'And', 'Exchange', 'CompSwap'))
            one = f'{"u" if base == UINT else ""}int'
            kids = [maker.expression(one, 3) for _ in range(2 if op == 'CompSwap' else 1)]
            return Node('s', f'%s = imageAtomic{op}({name}, {where}, {", ".join(["%s"] * len(kids))});', [maker.reference(one, []), *kids])
        return Node('s', f'%s = imageLoad({name}, {where});', [maker.reference(type, [])])
    maker.units.append(unit)
    maker.add_rule('ivec2', (1, f'imageSize({name})', []))


SUBGROUP_FUNCTIONS = '''
uint sg_add(uint x) { return subgroupInclusiveAdd(x) - subgroupExclusiveAdd(x); }
int sg_xor(int x) { return subgroupInclusiveXor(x) ^ subgroupExclusiveXor(x); }
int sg_max(int x) { return max(subgroupExclusiveMax(x), x) == subgroupInclusiveMax(x) ? x : 7; }
uint sg_min(uint x) { return subgroupMin(x) <= x ? x : 9u; }
uint sg_count(bool b) { return subgroupBallotBitCount(subgroupBallot(b)) == subgroupAdd(b ? 1u : 0u) ? 3u : 4u; }
bool sg_any(bool b) { return subgroupAny(b) == (subgroupBallotBitCount(subgroupBallot(b)) != 0u); }
bool sg_all(bool b) { return subgroupAll(b) == (subgroupAnd(b ? 1u : 0u) == 1u); }
bool sg_inverse(bool b) { return subgroupInverseBallot(subgroupBallot(b)); }
bool sg_extract(bool b) { return subgroupBallotBitExtract(subgroupBallot(b), gl_SubgroupInvocationID); }
uint sg_elect() { return subgroupAdd(subgroupElect() ? 1u : 0u); }
int sg_rank() { return int(subgroupExclusiveAdd(1u)) == int(subgroupBallotExclusiveBitCount(subgroupBallot(true))) ? 5 : 6; }
uvec2 sg_shuffle(uvec2 x) { return subgroupShuffle(x, gl_SubgroupInvocationID); }
int sg_first(int x) { return subgroupAny(subgroupBroadcastFirst(x) == x) ? 1 : 2; }
bool sg_equal(int x) { return subgroupAllEqual(subgroupBroadcastFirst(x)); }
'''


def add_subgroups(maker):
    """Adds functions that give the same result for every subgroup size and every set of active invocations."""
    maker.extensions += [f'GL_KHR_shader_subgroup_{e}' for e in ('basic', 'vote', 'arithmetic', 'ballot', 'shuffle')]
    for line in SUBGROUP_FUNCTIONS.strip().split('\n'):
        maker.head(line)
    for type, text, arguments in (
            ('uint', 'sg_add(%s)', [(UINT, 1)]), ('int', 'sg_xor(%s)', [(INT, 1)]), ('int', 'sg_max(%s)', [(INT, 1)]),
            ('uint', 'sg_min(%s)', [(UINT, 1)]), ('uint', 'sg_count(%s)', [('b', 1)]), ('bool', 'sg_any(%s)', [('b', 1)]),
            ('bool', 'sg_all(%s)', [('b', 1)]), ('bool', 'sg_inverse(%s)', [('b', 1)]),
            ('bool', 'sg_extract(%s)', [('b', 1)]), ('uint', 'sg_elect()', []), ('int', 'sg_rank()', []),
            ('uvec2', 'sg_shuffle(%s)', [(UINT, 2)]), ('int', 'sg_first(%s)', [(INT, 1)]),
            ('bool', 'sg_equal(%s)', [(INT, 1)])):
        maker.add_rule(type, (4, text, arguments))
