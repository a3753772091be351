# SPDX-License-Identifier: MIT
#
# Numbers of 8, 16 and 64 bits in memory: blocks of every kind, shared memory, specialisation constants, and the conversions
# and bit casts between all widths.
import struct

from layout import up
from tree import BOOL, FLOAT, INT, STORED, UINT, Node, vec

# name -> prefix of its vectors, bytes, the base type that it is read as
TYPES = {'int8_t': ('i8vec', 1, INT), 'uint8_t': ('u8vec', 1, UINT), 'int16_t': ('i16vec', 2, INT), 'uint16_t': ('u16vec', 2, UINT),
         'float16_t': ('f16vec', 2, FLOAT), 'int64_t': ('i64vec', 8, INT), 'uint64_t': ('u64vec', 8, UINT),
         'double': ('dvec', 8, FLOAT)}
EXTENSIONS = ['GL_EXT_shader_explicit_arithmetic_types', 'GL_EXT_shader_8bit_storage', 'GL_EXT_shader_16bit_storage']


def text_of(type, n):
    return type if n == 1 else f'{TYPES[type][0]}{n}'


def number(rng, type):
    _, size, base = TYPES[type]
    if base == FLOAT:
        value = rng.randint(-512, 512) / 16
        return struct.pack('<e' if size == 2 else '<d', value)
    value = rng.choice((rng.randint(0, 9), rng.getrandbits(8 * size), (1 << 8 * size) - 1, 1 << (8 * size - 1)))
    return value.to_bytes(size, 'little')


class Member:
    """count: of an array; 0 for none."""

    def __init__(self, rng, index, sizes):
        self.name = f'm{index}'
        self.type = rng.choice([t for t in TYPES if TYPES[t][1] in sizes])
        self.n = rng.choice((1, 1, 2, 3, 4))
        self.count = rng.choice((0, 0, 0, 2, 4))
        self.at = self.stride = 0

    def declaration(self):
        return f'{text_of(self.type, self.n)} {self.name}{f"[{self.count}]" if self.count else ""};'

    def place(self, at, way):
        """Returns the alignment and the end."""
        size = TYPES[self.type][1]
        alignment = size if way == 'scalar' else size * (1, 2, 4, 4)[self.n - 1]
        if self.count and way == 'std140':
            alignment = up(alignment, 16)
        self.stride = up(size * self.n, alignment)
        self.at = up(at, alignment)
        return alignment, self.at + (self.stride * self.count if self.count else size * self.n)

    def write(self, rng, data, base):
        for i in range(self.count or 1):
            at = base + self.at + i * self.stride
            part = b''.join(number(rng, self.type) for _ in range(self.n))
            data[at:at + len(part)] = part


def block(rng, way, sizes=(1, 2, 8), times=1, most=4):
    """Members and contents of a block, or of `times` structs."""
    members, at, alignment = [], 0, 16 if way == 'std140' else 4
    for i in range(rng.randint(1, most)):
        members.append(Member(rng, i, sizes))
        a, at = members[-1].place(at, way)
        alignment = max(alignment, a)
    size = up(at, alignment if way != 'scalar' else max(TYPES[m.type][1] for m in members))
    data = bytearray(b'\xcc' * up(size * times, 4))
    for k in range(times):
        for m in members:
            m.write(rng, data, k * size)
    return members, bytes(data)


def add_read(maker, path, member, weight=8, arguments=()):
    """Rules that read a member: converted to 32 bits, and the bits of a wider one."""
    _, size, base = TYPES[member.type]
    arguments = list(arguments)
    if member.count and not arguments:
        path, arguments = f'{path}[%s & {member.count - 1}]', [(INT, 1)]
    wide = vec(base, member.n)
    if base == FLOAT:
        maker.add_rule(wide, (weight, f'{wide}({path})', arguments, lambda *bounds: STORED))
    else:
        maker.add_rule(wide, (weight, f'{wide}({path})', arguments))
    component = path if member.n == 1 else f'{path}.{maker.rng.choice("xyzw"[:member.n])}'
    if base != FLOAT and size == 8:
        maker.add_rule('uvec2', (weight, f'unpackUint2x32(uint64_t({component}))', arguments))
    if member.type == 'double':
        maker.add_rule('uvec2', (weight, f'unpackDouble2x32({component})', arguments))
    if member.type == 'float16_t':
        maker.add_rule('int', (weight, f'int(float16BitsToInt16({component}))', arguments))
    if member.type in ('int16_t', 'uint16_t') and member.n in (2, 4):
        prefix = 'I' if member.type[0] == 'i' else 'U'
        packed = f'pack{"Int" if prefix == "I" else "Uint"}2x16({path}.xy)'
        maker.add_rule('int' if prefix == 'I' else 'uint', (weight, packed, arguments))
    if member.type == 'uint8_t' and member.n == 4:
        maker.add_rule('uint', (weight, f'pack32({path})', arguments))


def add_uniform(maker):
    rng = maker.rng
    kind = rng.choice(('uniform', 'inline', 'buffer', 'buffer', 'push', 'scalar'))
    if kind == 'push' and maker.program.push:
        kind = 'buffer'
    way = {'uniform': 'std140', 'inline': 'std140', 'scalar': 'scalar'}.get(kind, 'std430')
    members, data = block(rng, way, rng.choice(((1, 2, 8), (1, 2), (2,), (8,), (1,))))
    if kind == 'inline' and len(data) > 256 or kind == 'push' and len(data) > 128:
        return
    name = maker.name('wd')
    head = f'layout({way}, binding = {maker.binding()})' if kind != 'push' else 'layout(push_constant)'
    storage = 'readonly buffer' if kind in ('buffer', 'scalar') else 'uniform'
    if way == 'scalar':
        maker.extensions.append('GL_EXT_scalar_block_layout')
    declarations = '\n'.join(m.declaration() for m in members)
    maker.head(f'{head} {storage} B{name} {{\n{declarations}\n}} {name};')
    if kind == 'push':
        maker.program.push = data
    else:
        type = {'uniform': 6, 'inline': 1000138000}.get(kind, 7)
        maker.add_resource(maker.bindings[0] - 1, type, data, [UINT])
    for m in members:
        path = f'{name}.{m.name}'
        if kind == 'push' and m.count:
            # lavapipe takes one invocation's index for all where the numbers do not have 32 bits.
            choice = ' : '.join(f'i == {k} ? {path}[{k}]' for k in range(m.count - 1)) + f' : {path}[{m.count - 1}]'
            text = text_of(m.type, m.n)
            maker.program.has_twin = True
            maker.head(f'#ifdef PLAIN\n{text} {name}_{m.name}(int i) {{ return {choice}; }}\n#else\n'
                       f'{text} {name}_{m.name}(int i) {{ return {path}[i]; }}\n#endif')
            add_read(maker, f'{name}_{m.name}(%s & {m.count - 1})', m, arguments=[(INT, 1)])
        else:
            add_read(maker, path, m)


def value(maker, member):
    """The text and the kids of a value to store: never a NaN or a negative zero, which devices may treat differently."""
    _, size, base = TYPES[member.type]
    text = text_of(member.type, member.n)
    if base == FLOAT:
        return f'{text}(%s & 1023) - {text}(512)', [maker.expression(vec(INT, member.n), 3)]
    if size == 8 and maker.rng.random() < 0.5:
        return f'{text}(%s) * {text}(%s)', [maker.expression(vec(base, member.n), 2) for _ in range(2)]
    return f'{text}(%s)', [maker.expression(vec(base, member.n), 3)]


def add_own(maker, place, count):
    """A struct for each invocation to write and read."""
    rng = maker.rng
    way = rng.choice(('std430', 'std430', 'std140', 'scalar'))
    members, data = block(rng, way, times=count, most=3)
    binding, name = maker.binding(), maker.name('wo')
    if way == 'scalar':
        maker.extensions.append('GL_EXT_scalar_block_layout')
    declarations = '\n'.join(m.declaration() for m in members)
    maker.head(f'struct T{name} {{\n{declarations}\n}};')
    maker.head(f'layout({way}, binding = {binding}) buffer B{name} {{ T{name} {name}[]; }};')
    maker.add_resource(binding, 7, data, [UINT])

    def unit():
        m = rng.choice(members)
        path, kids = f'{name}[{place}].{m.name}', []
        if m.count:
            path, kids = f'{path}[%s & {m.count - 1}]', [maker.expression('int', 2)]
        if m.n > 1 and rng.random() < 0.3:
            one = Member.__new__(Member)
            one.type, one.n = m.type, 1
            text, more = value(maker, one)
            return Node('s', f'{path}.{rng.choice("xyzw"[:m.n])} = {text};', kids + more)
        text, more = value(maker, m)
        return Node('s', f'{path} = {text};', kids + more)
    maker.units.append(unit)
    maker.musts.append(unit)
    maker.add_rule('int', (3, f'{name}.length()', []))
    for m in members:
        # A float that was stored is beyond the range of variables.
        if TYPES[m.type][2] != FLOAT:
            add_read(maker, f'{name}[{place}].{m.name}', m, 4)


def add_shared(maker):
    """Shared arrays of other widths: each invocation writes its element, all wait, each reads another's."""
    rng = maker.rng
    member = Member.__new__(Member)
    member.type, member.n, member.count = rng.choice(list(TYPES)), rng.choice((1, 1, 2, 3, 4)), 0
    array, base = maker.name('ws'), TYPES[member.type][2]
    if not maker.take_shared(TYPES[member.type][1] * (4 if member.n == 3 else member.n) * maker.size):
        return
    text = text_of(member.type, member.n)
    maker.head(f'shared {text} {array}[{maker.size}];')
    wide = vec(base, member.n)

    def unit():
        name = maker.name()
        stored, kids = value(maker, member)
        kids.append(maker.expression('uint', 2))
        read = f'{array}[%s %% {maker.size}u]'
        result = vec(INT, member.n) if base == FLOAT else wide
        maker.declare(name, result, True)
        if maker.depth == 0:
            maker.main_locals.append((name, result))
        return Node('s', f'{array}[gl_LocalInvocationIndex] = {stored};\nbarrier();\n'
                         f'{result} {name} = {result}({read});\nbarrier();', kids)
    maker.uniform_units.append(unit)
    maker.musts.append(unit)


def add_shared_block(maker):
    """Workgroup memory with an explicit layout: two blocks that share their bytes. The reference, which lacks it, puts the
    bytes together."""
    rng = maker.rng
    bits = rng.choice((8, 16))
    type, per_word = f'uint{bits}_t', 32 // bits
    words, parts = maker.name('bw'), maker.name('bp')
    maker.take_shared(4 * maker.size)
    maker.extensions += ['GL_EXT_shared_memory_block', *EXTENSIONS]
    maker.program.has_twin = True
    maker.program.target = max(maker.program.target, 1)  # glslang has it from SPIR-V 1.4 on
    maker.head(f'#ifdef PLAIN\nshared uint {words}[{maker.size}];\n'
               f'uint {parts}_of(uint i) {{ return bitfieldExtract({words}[i / {per_word}u], int(i % {per_word}u) * {bits}, {bits}); }}\n'
               f'void {parts}_set(uint i, uint x) {{ {words}[i / {per_word}u] = bitfieldInsert({words}[i / {per_word}u], x, '
               f'int(i % {per_word}u) * {bits}, {bits}); }}\n#else\n'
               f'shared B{words} {{ uint {words}[{maker.size}]; }};\nshared B{parts} {{ {type} {parts}[{maker.size * per_word}]; }};\n'
               f'uint {parts}_of(uint i) {{ return uint({parts}[i]); }}\n'
               f'void {parts}_set(uint i, uint x) {{ {parts}[i] = {type}(x); }}\n#endif'.replace('%', '%%'))

    def unit():
        name = maker.name()
        kids = [maker.expression('uint', 3), maker.expression('uint', 2), maker.expression('uint', 2), maker.expression('uint', 2)]
        maker.declare(name, 'uint', True)
        if maker.depth == 0:
            maker.main_locals.append((name, 'uint'))
        mine = f'gl_LocalInvocationIndex * {per_word}u'
        return Node('s', f'{words}[gl_LocalInvocationIndex] = %s;\n{parts}_set({mine} + %s %% {per_word}u, %s);\nbarrier();\n'
                         f'uint {name} = {parts}_of(%s %% {maker.size * per_word}u) ^ {words}[{maker.size - 1}];\nbarrier();', kids)
    maker.uniform_units.append(unit)
    maker.musts.append(unit)


def add_zeroed(maker):
    """Workgroup memory that begins as zeros. The atomics do not depend on their order."""
    name = maker.name('wz')
    maker.extensions.append('GL_EXT_null_initializer')
    maker.head(f'shared uint {name}[4] = {{}};')

    def unit():
        result, cell = maker.name(), maker.rng.randrange(4)
        kids = [maker.expression('uint', 3)]
        maker.declare(result, 'uint', True)
        if maker.depth == 0:
            maker.main_locals.append((result, 'uint'))
        return Node('s', f'atomicXor({name}[{cell}], %s);\nbarrier();\nuint {result} = {name}[{cell}];\nbarrier();', kids)
    maker.uniform_units.append(unit)
    maker.musts.append(unit)


def add_spec_constants(maker):
    """Specialisation constants of other widths, of both halves of their range."""
    rng = maker.rng
    for _ in range(rng.randint(1, 2)):
        id, type = len(maker.program.specs), rng.choice(list(TYPES))
        name = f'K{id}'
        if id >= 14:
            return
        maker.head(f'layout(constant_id = {id}) const {type} {name} = {type}({rng.randint(0, 99)});')
        data = number(rng, type)
        maker.program.specs.append((id, int.from_bytes(data, 'little'), len(data)))
        member = Member.__new__(Member)
        member.type, member.n, member.count = type, 1, 0
        add_read(maker, f'({name} + {type}(ZERO))', member, 5)  # glslang makes invalid SPIR-V of some constant expressions


def add_locals(maker):
    """Variables of other widths: arrays and structs in functions, and a global variable."""
    rng = maker.rng
    for type in rng.sample(list(TYPES), 3):
        base, n = TYPES[type][2], rng.choice((1, 1, 2, 3, 4))
        text, name = text_of(type, n), maker.name('lo')
        wide = vec(INT if base == FLOAT else base, n)
        x = 'x & 255' if base == FLOAT else 'x'
        maker.head(f'struct S{name} {{ {text} a[3]; int b; {text} c; }};')
        maker.head(f'S{name} {name}_make({wide} x) {{ {text} y = {text}({x}); return S{name}({text}[](y, y + {text}(1), y * {text}(3)), '
                   f'int(7), y); }}')
        maker.head(f'{wide} {name}(int i, int j, {wide} x) {{ S{name} s = {name}_make(x); s.a[int(uint(i) %% 3u)] += s.c; s.c = s.a[1]; '
                   f'{text} v[4] = {text}[](s.a[0], s.a[2], {text}(5), s.c); v[i & 3] = s.a[2] - {text}(9); '
                   f'return {wide}(v[j & 3]) + {wide}(s.b); }}')
        maker.add_rule(wide, (6, f'{name}(%s, %s, %s)', [(INT, 1), (INT, 1), (INT if base == FLOAT else base, n)]))
        if rng.random() < 0.5:
            maker.head(f'{text} {name}_g = {text}(3);')
            maker.units.append(lambda name=name, text=text, wide=wide, is_float=base == FLOAT: Node(
                's', f'{name}_g = {text}(%s{" & 1023" if is_float else ""});', [maker.expression(wide, 3)]))
            maker.add_rule(wide, (6, f'{wide}({name}_g)', []))


# Conversions and bit casts between widths. Floats are integers that all widths have.
CONVERSIONS = [
    ('int', 'int(int64_t(int8_t(%s)) + int64_t(int16_t(%s)))', [(INT, 1), (INT, 1)]),
    ('uint', 'uint(uint16_t(uint8_t(%s)) * uint16_t(%s))', [(UINT, 1), (UINT, 1)]),
    ('ivec2', 'ivec2(i8vec2(i64vec2(%s)))', [(INT, 2)]),
    ('uvec3', 'uvec3(u16vec3(u64vec3(%s)))', [(UINT, 3)]),
    ('int', 'int(double(float16_t(%s & 1023)) * 4.0lf)', [(INT, 1)]),
    ('int', 'int(float16_t(double(%s & 1023)) + float16_t(1))', [(INT, 1)]),
    ('int', 'int(int64_t(double(%s)) - int64_t(float(%s & 0xffff)))', [(INT, 1), (INT, 1)]),
    ('uint', 'uint(uint64_t(double(%s) * 65536.0lf) >> 16)', [(UINT, 1)]),
    ('ivec3', 'ivec3(i16vec3(f16vec3(%s & 2047)))', [(INT, 3)]),
    ('uint', 'uint(uint8_t(float16_t(%s & 255u)))', [(UINT, 1)]),
    ('int', 'int(int16_t(double(%s & 0x7fff)))', [(INT, 1)]),
    ('uint', 'pack32(unpack8(%s).wxzy)', [(UINT, 1)]),
    ('uint', 'packUint2x16(unpackUint2x16(%s).yx)', [(UINT, 1)]),
    ('uvec2', 'unpackUint2x32(packUint4x16(unpackUint4x16(packUint2x32(%s + uint(ZERO))).wyxz))', [(UINT, 2)]),
    ('uvec2', 'unpackUint2x32(pack64(unpack16(uint64_t(%s)).zxyw))', [(UINT, 1)]),
    ('int', 'int(int16BitsToFloat16(int16_t(0x3c00 | %s & 0x3ff)) * float16_t(1024))', [(INT, 1)]),
    ('uint', 'uint(float16BitsToUint16(float16_t(%s & 2047u)))', [(UINT, 1)]),
    ('uvec2', 'unpackUint2x32(uint64_t(doubleBitsToInt64(double(%s))))', [(INT, 1)]),
    ('int', 'int(int64BitsToDouble(0x3ff0000000000000l | int64_t(uint(%s)) << 20) * 4294967296.0lf - 4294967296.0lf - 2147483648.0lf)',
     [(INT, 1)]),
    ('bool', '(bool(int8_t(%s)) && bool(int64_t(%s)))', [(INT, 1), (INT, 1)]),
    ('bool', '(bool(double(%s)) ^^ bool(float16_t(%s & 3)))', [(INT, 1), (INT, 1)]),
    ('int', 'int(int8_t(%s)) + int(double(%s)) + int(int64_t(%s))', [(BOOL, 1), (BOOL, 1), (BOOL, 1)]),
    ('uint', 'packFloat2x16(f16vec2(%s & 1023))', [(INT, 2)]),
    ('ivec2', 'ivec2(unpackFloat2x16(packFloat2x16(f16vec2(%s & 1023))))', [(INT, 2)]),
]


def add_conversions(maker):
    """As functions, because glslang makes invalid SPIR-V of conversions of specialisation constants."""
    maker.extensions += EXTENSIONS
    for type, text, arguments in maker.rng.sample(CONVERSIONS, maker.rng.randint(4, 10)):
        name = maker.name('cv')
        parameters = ', '.join(f'{vec(*a)} {letter}' for a, letter in zip(arguments, 'abc'))
        maker.head(f'{type} {name}({parameters}) {{ return {text % tuple("abc"[:len(arguments)])}; }}')
        maker.add_rule(type, (4, f'{name}({", ".join(["%s"] * len(arguments))})', arguments))
