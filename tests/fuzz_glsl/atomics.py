# SPDX-License-Identifier: MIT
#
# Atomics on 64-bit integers, on floats and on texels. As with those of 32 bits, their order does not matter, or each
# invocation has a word of its own.
import struct

from tree import UINT, Node


def add_all64(maker):
    """A buffer that all invocations change."""
    rng = maker.rng
    ops = [rng.choice(('Add', 'Or', 'Xor', 'Max', 'Min', 'And')) for _ in range(4)]
    signed = rng.random() < 0.5
    type = 'int64_t' if signed else 'uint64_t'
    binding, name = maker.binding(), maker.name('al')
    maker.extensions += ['GL_EXT_shader_explicit_arithmetic_types_int64', 'GL_EXT_shader_atomic_int64']
    maker.head(f'layout(std430, binding = {binding}) buffer B{name} {{ {type} {name}[4]; }};')
    maker.add_resource(binding, 7, struct.pack('<4Q', *[rng.getrandbits(64) for _ in ops]), [UINT])

    def unit():
        i = rng.randrange(4)
        return Node('s', f'atomic{ops[i]}({name}[{i}], {type}(packUint2x32(%s)));', [maker.expression('uvec2', 3)])
    maker.units.append(unit)
    maker.musts.append(unit)


def add_own64(maker, place, count):
    """64-bit atomics whose result is used."""
    rng = maker.rng
    binding, name = maker.binding(), maker.name('ol')
    type = rng.choice(('int64_t', 'uint64_t'))
    maker.extensions += ['GL_EXT_shader_explicit_arithmetic_types_int64', 'GL_EXT_shader_atomic_int64']
    maker.head(f'layout(std430, binding = {binding}) buffer B{name} {{ {type} {name}[]; }};')
    maker.add_resource(binding, 7, struct.pack(f'<{count}Q', *[rng.getrandbits(rng.choice((8, 64))) for _ in range(count)]), [UINT])

    def unit():
        target = maker.reference('uvec2', [])
        op = rng.choice(('Add', 'Or', 'Xor', 'Max', 'Min', 'And', 'Exchange', 'CompSwap'))
        kids = [maker.expression('uvec2', 3) for _ in range(2 if op == 'CompSwap' else 1)]
        values = ', '.join([f'{type}(packUint2x32(%s))'] * len(kids))
        return Node('s', f'%s = unpackUint2x32(uint64_t(atomic{op}({name}[{place}], {values})));', [target, *kids])
    maker.units.append(unit)
    maker.musts.append(unit)


def add_shared64(maker):
    rng = maker.rng
    cell = maker.name('sl')
    maker.extensions += ['GL_EXT_shader_explicit_arithmetic_types_int64', 'GL_EXT_shader_atomic_int64']
    maker.head(f'shared uint64_t {cell};')

    def unit():
        op, start = rng.choice((('Add', '7ul'), ('Or', '0ul'), ('Xor', '5ul'), ('Max', '0ul'), ('Min', '~0ul'), ('And', '~0ul')))
        name = maker.name()
        kids = [maker.expression('bool', 2), maker.expression('uvec2', 3)]
        maker.declare(name, 'uvec2', True)
        if maker.depth == 0:
            maker.main_locals.append((name, 'uvec2'))
        return Node('s', f'if (gl_LocalInvocationIndex == 0u) {cell} = {start};\nbarrier();\n'
                         f'if (%s) atomic{op}({cell}, packUint2x32(%s));\nbarrier();\n'
                         f'uvec2 {name} = unpackUint2x32({cell});\nbarrier();', kids)
    maker.uniform_units.append(unit)
    maker.musts.append(unit)


FLOAT_EXTENSIONS = ['GL_EXT_shader_atomic_float', 'GL_EXT_shader_atomic_float2']


def add_all_floats(maker):
    """Sums of small integers, which are exact in any order, and extremes."""
    rng = maker.rng
    ops = [rng.choice(('Add', 'Add', 'Max', 'Min')) for _ in range(4)]
    binding, name = maker.binding(), maker.name('af')
    maker.extensions += FLOAT_EXTENSIONS
    maker.head(f'layout(std430, binding = {binding}) buffer B{name} {{ float {name}[4]; }};')
    maker.add_resource(binding, 7, struct.pack('<4f', *[rng.randint(-16, 16) + 0.5 for _ in ops]), [UINT])

    def unit():
        i = rng.randrange(4)
        return Node('s', f'atomic{ops[i]}({name}[{i}], float(%s & 31) - 15.0);', [maker.expression('int', 3)])
    maker.units.append(unit)
    maker.musts.append(unit)


def add_own_floats(maker, place, count):
    """The value is never -0. A sum is made small again by an exchange, so that it stays exact."""
    rng = maker.rng
    binding, name = maker.binding(), maker.name('of')
    maker.extensions += FLOAT_EXTENSIONS
    maker.head(f'layout(std430, binding = {binding}) buffer B{name} {{ float {name}[]; }};')
    maker.add_resource(binding, 7, struct.pack(f'<{count}f', *[rng.randint(-16, 16) + 0.5 for _ in range(count)]), [UINT])

    def unit():
        op = rng.choice(('Add', 'Max', 'Min', 'Exchange'))
        target = maker.reference('int', [])
        return Node('s', f'%s = int(atomic{op}({name}[{place}], float(%s & 31) - 15.0) * 2.0);', [target, maker.expression('int', 3)])
    maker.units.append(unit)
    maker.musts.append(unit)


def add_shared_floats(maker):
    rng = maker.rng
    cell = maker.name('sf')
    maker.extensions += FLOAT_EXTENSIONS
    maker.head(f'shared float {cell};')

    def unit():
        op = rng.choice(('Add', 'Max', 'Min'))
        name = maker.name()
        kids = [maker.expression('int', 3)]
        maker.declare(name, 'int', True)
        if maker.depth == 0:
            maker.main_locals.append((name, 'int'))
        return Node('s', f'if (gl_LocalInvocationIndex == 0u) {cell} = 0.5;\nbarrier();\n'
                         f'atomic{op}({cell}, float(%s & 31) - 15.0);\nbarrier();\n'
                         f'int {name} = int({cell} * 2.0);\nbarrier();', kids)
    maker.uniform_units.append(unit)
    maker.musts.append(unit)


OF_64_BITS = {'Add': 'a + b', 'Or': 'a | b', 'Xor': 'a ^ b', 'And': 'a & b', 'Min': 'min(a, b)', 'Max': 'max(a, b)', 'Exchange': 'b'}


def add_image64(maker, place, count):
    """Atomics on 64-bit texels, each invocation on its own. The reference, which lacks them, has pairs of words there."""
    rng = maker.rng
    binding, name = maker.binding(), maker.name('il')
    maker.extensions += ['GL_EXT_shader_explicit_arithmetic_types_int64', 'GL_EXT_shader_image_int64']
    maker.program.has_twin = True
    width = 64
    height = -(-count // width)
    data = struct.pack(f'<{width * height}Q', *[rng.getrandbits(rng.choice((8, 64))) for _ in range(width * height)])
    maker.program.resources.append(maker.resource(binding, 3, data, [UINT], (110, 8, 1, width, height, 1, 1, 1, 0, 0, 0, 0, 0),
                                                  plain_format=101))
    plain = [f'layout(rg32ui, binding = {binding}) uniform uimage2D {name};',
             f'uvec2 {name}_load(ivec2 p) {{ return imageLoad({name}, p).xy; }}',
             f'void {name}_store(ivec2 p, uvec2 x) {{ imageStore({name}, p, x.xyxx); }}']
    special = [f'layout(r64ui, binding = {binding}) uniform u64image2D {name};',
               f'uvec2 {name}_load(ivec2 p) {{ return unpackUint2x32(imageLoad({name}, p).x); }}',
               f'void {name}_store(ivec2 p, uvec2 x) {{ imageStore({name}, p, u64vec4(packUint2x32(x))); }}']
    ops = rng.sample(list(OF_64_BITS), 3)
    for op in ops:
        head = f'uvec2 {name}_{op}(ivec2 p, uvec2 x) {{ '
        plain.append(head + f'uvec2 old = imageLoad({name}, p).xy; uint64_t a = packUint2x32(old), b = packUint2x32(x); '
                     f'imageStore({name}, p, unpackUint2x32({OF_64_BITS[op]}).xyxx); return old; }}')
        special.append(head + f'return unpackUint2x32(imageAtomic{op}({name}, p, packUint2x32(x))); }}')
    maker.head('#ifdef PLAIN\n' + '\n'.join(plain) + '\n#else\n' + '\n'.join(special) + '\n#endif')
    where = f'ivec2(uint({place}) & {width - 1}u, uint({place}) / {width}u)'

    def unit():
        r = rng.random()
        if r < 0.2:
            return Node('s', f'%s = {name}_load({where});', [maker.reference('uvec2', [])])
        value = maker.expression('uvec2', 3)
        if r < 0.4:
            return Node('s', f'{name}_store({where}, %s);', [value])
        return Node('s', f'%s = {name}_{rng.choice(ops)}({where}, %s);', [maker.reference('uvec2', []), value])
    maker.units.append(unit)
    maker.musts.append(unit)
