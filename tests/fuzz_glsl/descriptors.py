# SPDX-License-Identifier: MIT
#
# Ways to reach memory: arrays of descriptors with any index and without a size, null descriptors, accesses outside of
# buffers, addresses of buffers. Where the reference lacks something, it gets the same program in other words (PLAIN).
from layout import random_word
from tree import INT, UINT, Node

UNIFORM, STORAGE, SAMPLED, INLINE = 6, 7, 1, 1000138000


def twin(maker, special, plain):
    maker.program.has_twin = True
    maker.head(f'#ifdef PLAIN\n{plain}\n#else\n{special}\n#endif'.replace('%', '%%'))


def words(rng, count):
    return b''.join(random_word(rng, rng.choice((INT, UINT)), False) for _ in range(count))


def add_array(maker):
    """An array of 4 descriptors. Its index differs between invocations, or is the same in all."""
    rng = maker.rng
    kind = rng.choice(('uniform', 'buffer', 'buffer', 'texture'))
    binding, name = maker.binding(), maker.name('ar')
    maker.extensions.append('GL_EXT_nonuniform_qualifier')
    count = 4
    size = '' if rng.random() < 0.5 else str(count)
    if kind == 'texture':
        declaration = f'layout(binding = {binding}) uniform usampler2D {name}[@];'
        element = f'texelFetch({name}[@], ivec2(j & 3u, j >> 2 & 1u), 0).y'
        for k in range(count):
            maker.program.resources.append(maker.resource(binding, SAMPLED, words(rng, 32), None,
                                                          (107, 16, 1, 4, 2, 1, 1, 1, 0, 0, 0, 2, 2), element=k))
    else:
        inside = 'uvec4 x[8]' if kind == 'uniform' else 'uint x[8]'
        declaration = (f'layout({"std140" if kind == "uniform" else "std430"}, binding = {binding}) '
                       f'{"uniform" if kind == "uniform" else "readonly buffer"} B{name} {{ {inside}; }} {name}[@];')
        element = f'{name}[@].x[j & 7u]' + ('.z' if kind == 'uniform' else '')
        for k in range(count):
            data = words(rng, 32 if kind == 'uniform' else 8)
            maker.program.resources.append(maker.resource(binding, UNIFORM if kind == 'uniform' else STORAGE, data, [UINT], element=k))

    def at(index):
        return element.replace('@', str(index))
    plain = declaration.replace('@', str(count)) + f'\nuint {name}_of(uint i, uint j) {{ switch (i & 3u) {{\n' + \
        ''.join(f'case {k}u: return {at(k)};\n' for k in range(3)) + f'default: return {at(3)}; }} }}'
    special = declaration.replace('@', size) + f'\nuint {name}_of(uint i, uint j) {{ return {at("nonuniformEXT(i & 3u)")}; }}'
    twin(maker, special, plain)
    maker.add_rule('uint', (25, f'{name}_of(%s, %s)', [(UINT, 1), (UINT, 1)]))


def add_null(maker):
    """Null descriptors: reads give 0, writes are discarded, sizes are 0."""
    rng = maker.rng
    maker.program.needs_robust = True
    kind = rng.choice(('uniform', 'buffer', 'texture', 'length'))
    binding, name = maker.binding(), maker.name('nu')
    type = {'uniform': UNIFORM, 'texture': SAMPLED}.get(kind, STORAGE)
    maker.program.resources.append(maker.resource(binding, type, b'', [UINT], is_null=True))
    if kind == 'uniform':
        head, value = f'layout(std140, binding = {binding}) uniform B{name} {{ uvec4 x[4]; }} {name};', f'{name}.x[i & 3u].y'
    elif kind == 'texture':
        head = f'layout(binding = {binding}) uniform usampler2D {name};'
        value = f'texelFetch({name}, ivec2(i & 3u, 0), 0).x + uint(textureSize({name}, 0).x)'
    else:
        head = f'layout(std430, binding = {binding}) buffer B{name} {{ uint x[]; }} {name};'
        value = f'{name}.x[i & 63u]' if kind == 'buffer' else f'uint({name}.x.length())'
    store = kind == 'buffer' and maker.can_store
    special = f'{head}\nuint {name}_of(uint i) {{ {f"{name}.x[i & 7u] = i;" if store else ""} return {value}; }}'
    twin(maker, special, f'uint {name}_of(uint i) {{ return 0u; }}')
    maker.add_rule('uint', (15, f'{name}_of(%s)', [(UINT, 1)]))


def add_outside(maker):
    """Reads and writes outside of a buffer, which robustness2 defines to the word."""
    rng = maker.rng
    maker.program.needs_robust = True
    count, binding, name = rng.choice((3, 5, 8, 13)), maker.binding(), maker.name('ou')
    kind = rng.choice(('array', 'sized', 'uniform', 'vectors', 'bytes'))
    data = words(rng, 4 * count if kind in ('uniform', 'vectors') else count)
    declared = {'array': 'uint x[]', 'sized': 'uint x[32]', 'uniform': 'uvec4 x[32]', 'vectors': 'uvec4 x[]', 'bytes': 'uint8_t x[]'}[kind]
    if kind == 'bytes':
        maker.extensions += ['GL_EXT_shader_explicit_arithmetic_types', 'GL_EXT_shader_8bit_storage']
    where = 'uniform' if kind == 'uniform' else 'readonly buffer'
    head = f'layout({"std140" if kind == "uniform" else "std430"}, binding = {binding}) {where} B{name} {{ {declared}; }} {name};'
    maker.add_resource(binding, UNIFORM if kind == 'uniform' else STORAGE, data, [UINT])
    elements = 4 * count if kind == 'bytes' else count
    value = {'uniform': f'{name}.x[i].w', 'vectors': f'{name}.x[i].w', 'bytes': f'uint({name}.x[i])'}.get(kind, f'{name}.x[i]')
    mask = 'i &= 31u;' if kind in ('sized', 'uniform') else f'i = (i & 1u) != 0u ? i & {rng.choice((0x3f, 0xffff, 0xfffff))}u : i & 15u;'
    twin(maker, f'{head}\nuint {name}_of(uint i) {{ {mask} return {value}; }}',
         f'{head}\nuint {name}_of(uint i) {{ {mask} return i < {elements}u ? {value} : 0u; }}')
    maker.add_rule('uint', (20, f'{name}_of(%s)', [(UINT, 1)]))


def add_outside_texels(maker, may_store):
    """Fetches outside of a texture, and loads and stores outside of an image, of a format with all components."""
    rng = maker.rng
    maker.program.needs_robust = True
    binding, name = maker.binding(), maker.name('ot')
    width, height = rng.choice((1, 3, 4, 8)), rng.choice((1, 2, 5))
    is_image = rng.random() < 0.5
    data = words(rng, 4 * width * height)
    maker.program.resources.append(maker.resource(binding, 3 if is_image else SAMPLED, data, [UINT],
                                                  (107, 16, 1, width, height, 1, 1, 1, 0, 0, 0, 2, 2)))
    if is_image:
        head = f'layout(rgba32ui, binding = {binding}) uniform {"" if may_store else "readonly "}uimage2D {name};'
        value = f'imageLoad({name}, p)'
    else:
        head, value = f'layout(binding = {binding}) uniform usampler2D {name};', f'texelFetch({name}, p, 0)'
    place = f'ivec2 p = ivec2(int(i & 15u) - 3, int(i >> 8 & 7u) - 2); if ((i & 0x70000u) == 0u) p *= {rng.choice((1000, 0x1000000))};'
    inside = f'all(greaterThanEqual(p, ivec2(0))) && all(lessThan(p, ivec2({width}, {height})))'
    store = f'if (!({inside})) imageStore({name}, p, uvec4(i)); ' if is_image and may_store and rng.random() < 0.5 else ''
    twin(maker, f'{head}\nuvec4 {name}_of(uint i) {{ {place} {store}return {value}; }}',
         f'{head}\nuvec4 {name}_of(uint i) {{ {place} return {inside} ? {value} : uvec4(0u); }}')
    maker.add_rule('uvec4', (15, f'{name}_of(%s)', [(UINT, 1)]))


def add_outside_stores(maker, place, count):
    """Each invocation writes its own word, or nothing."""
    rng = maker.rng
    maker.program.needs_robust = True
    binding, name = maker.binding(), maker.name('os')
    maker.add_resource(binding, STORAGE, words(rng, count), [UINT])
    head = f'layout(std430, binding = {binding}) buffer B{name} {{ uint x[]; }} {name};'
    far = rng.choice((count, 2 * count + 5, 0x100000, 0x3fffff))
    twin(maker, f'{head}\nvoid {name}_set(uint i, bool far, uint x) {{ {name}.x[far ? i + {far}u : i] = x; }}',
         f'{head}\nvoid {name}_set(uint i, bool far, uint x) {{ if (!far) {name}.x[i] = x; }}')
    maker.units.append(lambda: Node('s', f'{name}_set({place}, %s, %s);', [maker.expression('bool', 2), maker.expression('uint', 3)]))
    maker.add_rule('uint', (4, f'{name}.x[{place}]', []))


def add_addresses(maker, place=None, count=0):
    """Buffers by their addresses, which stand in a uniform block. With `place`, each invocation stores into its own words."""
    rng = maker.rng
    maker.extensions += ['GL_EXT_buffer_reference', 'GL_EXT_buffer_reference2', 'GL_EXT_buffer_reference_uvec2',
                         'GL_EXT_shader_explicit_arithmetic_types', 'GL_EXT_shader_8bit_storage', 'GL_EXT_shader_16bit_storage']
    name, resources = maker.name('ad'), maker.program.resources
    targets = []
    for _ in range(2):
        targets.append(len(resources))
        resources.append(maker.resource(maker.binding(), STORAGE, words(rng, 32), [UINT], has_address=True))
    own = 0
    if place:
        own = len(resources)
        resources.append(maker.resource(maker.binding(), STORAGE, words(rng, 2 * count), [UINT], has_address=True))
    binding = maker.binding()
    addresses = [(0, targets[0]), (8, targets[1])] + ([(16, own)] if place else [])
    resources.append(maker.resource(binding, UNIFORM, bytes(32), None, addresses=addresses))
    maker.head(f'layout(buffer_reference, std430, buffer_reference_align = 4) buffer R{name} {{ uint x; }};')
    maker.head(f'layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer V{name} {{ uvec4 x[8]; }};')
    maker.head(f'layout(buffer_reference, std430, buffer_reference_align = 2) readonly buffer H{name} {{ uint16_t x[]; }};')
    maker.head(f'layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer B{name} {{ uint8_t x[]; }};')
    maker.head(f'layout(std140, binding = {binding}) uniform U{name} {{ uint64_t a, b, c; }} u{name};')
    maker.head(f'uint64_t {name}_at(bool c) {{ return c ? u{name}.a : u{name}.b; }}')
    for text, rule in (
            (f'uint {name}_word(uint i, bool c) {{ R{name} r = R{name}({name}_at(c)); return r[i & 31u].x; }}',
             ('uint', f'{name}_word(%s, %s)', [(UINT, 1), ('b', 1)])),
            (f'uvec4 {name}_vector(uint i, bool c) {{ return V{name}({name}_at(c)).x[i & 7u]; }}',
             ('uvec4', f'{name}_vector(%s, %s)', [(UINT, 1), ('b', 1)])),
            (f'uint {name}_half(uint i, bool c) {{ return uint(H{name}({name}_at(c) + uint64_t(i & 62u)).x[i >> 8 & 15u]); }}',
             ('uint', f'{name}_half(%s, %s)', [(UINT, 1), ('b', 1)])),
            (f'uint {name}_byte(uint i, bool c) {{ B{name} p = B{name}(u{name}.a), q = B{name}(u{name}.b); '
             f'if (c) p = q; return uint(p.x[i & 127u]); }}', ('uint', f'{name}_byte(%s, %s)', [(UINT, 1), ('b', 1)])),
            (f'uint {name}_pair(uint i) {{ R{name} r = R{name}(unpackUint2x32(u{name}.b)); '
             f'for (uint k = 0u; k < (i & 7u); k++) r = r + 1; return r.x ^ uint(uint64_t(r) - u{name}.b); }}',
             ('uint', f'{name}_pair(%s)', [(UINT, 1)]))):
        if rng.random() < 0.6:
            maker.head(text)
            maker.add_rule(rule[0], (12, *rule[1:]))
    if place:
        maker.head(f'R{name} {name}_own(uint i, bool c) {{ return R{name}(u{name}.c) + int(i * 2u + (c ? 1u : 0u)); }}')
        maker.units.append(lambda: Node('s', f'{name}_own({place}, %s).x = %s;', [maker.expression('bool', 2), maker.expression('uint', 3)]))
        maker.add_rule('uint', (5, f'{name}_own({place}, %s).x', [('b', 1)]))
