# SPDX-License-Identifier: MIT
#
# Tables of constants: const arrays that are large enough to be read from memory, of every type, with rules that index them
# by variables.
from tree import BOOL, FLOAT, INT, MATRIX, SHAPE, STORED, UINT, vec

COUNTS = (17, 20, 32, 40, 64, 100)
MOST_SCALARS = 200  # lavapipe takes long to compile larger ones
PLAIN = [vec(base, n) for base in (INT, UINT, FLOAT, BOOL) for n in (1, 2, 3, 4)]
# Numbers of other widths: the type, a literal of a number, and the number of bits.
OTHER = [('int8_t', 'int8_t({})', 8), ('uint8_t', 'uint8_t({}u)', 8), ('int16_t', 'int16_t({})', 16), ('uint16_t', 'uint16_t({}u)', 16),
         ('int64_t', '{}l', 64), ('uint64_t', '{}ul', 64)]


def scalars(maker, type):
    if isinstance(type, tuple):
        return type[1] * scalars(maker, type[0])
    if type in MATRIX:
        return MATRIX[type][0] * MATRIX[type][1]
    if type in maker.structs:
        return sum(scalars(maker, t) for _, t in maker.structs[type])
    return SHAPE[type][1]


def name_of(type):
    """Of the constructor."""
    return f'{type[0]}[]' if isinstance(type, tuple) else type


def value(maker, type):
    """The text of a constant."""
    if isinstance(type, tuple):
        parts = [value(maker, type[0]) for _ in range(type[1])]
    elif type in MATRIX:
        parts = [f'{maker.rng.randint(-32, 31) / 4}' for _ in range(scalars(maker, type))]
    elif type in maker.structs:
        parts = [value(maker, t) for _, t in maker.structs[type]]
    else:
        return maker.literal(type).render()
    return f'{name_of(type)}({", ".join(parts)})'


def index(rng, count):
    """The text and the arguments of an index that is in range. ZERO: see Expressions.constants."""
    if count & (count - 1) == 0:
        return rng.choice(((f'(%s | int(ZERO)) & {count - 1}', [(INT, 1)]), (f'(%s | uint(ZERO)) & {count - 1}u', [(UINT, 1)])))
    return rng.choice(((f'(%s | uint(ZERO)) %% {count}u', [(UINT, 1)]), (f'clamp(%s | int(ZERO), 0, {count - 1})', [(INT, 1)])))


def add_rules(maker, name, type, count):
    for _ in range(2):
        at, arguments = index(maker.rng, count)
        rule = (25, f'{name}[{at}]', arguments)
        maker.add_rule(type, rule + (lambda *bounds: STORED,) if SHAPE[type][0] == FLOAT else rule)


def add_plain(maker):
    rng, name = maker.rng, maker.name('t')
    count = rng.choice(COUNTS)
    type = rng.choice(PLAIN + ['mat2', 'mat3', 'mat4x2', ('int', 3), ('vec2', 4), ('uvec3', 2)] + list(maker.structs))
    if count * scalars(maker, type) > MOST_SCALARS:
        count = 17
    if count * scalars(maker, type) > MOST_SCALARS:
        return
    values = ', '.join(value(maker, type) for _ in range(count))
    if isinstance(type, tuple):
        maker.head(f'const {type[0]} {name}[{count}][{type[1]}] = {type[0]}[][]({values});')
    else:
        maker.head(f'const {type} {name}[{count}] = {type}[]({values});')
    maker.constants.add(name)
    maker.declare(name, (type, count), False)
    if type in SHAPE:
        add_rules(maker, name, type, count)


def add_other(maker):
    rng, name = maker.rng, maker.name('t')
    type, literal, bits = rng.choice(OTHER)
    count, is_signed = rng.choice(COUNTS), type[0] == 'i'
    low, high = (1 - 2 ** (bits - 1), 2 ** (bits - 1) - 1) if is_signed else (0, 2 ** bits - 1)
    numbers = ', '.join(literal.format(rng.choice((low, high, 0, rng.randint(low, high)))) for _ in range(count))
    maker.extensions.append('GL_EXT_shader_explicit_arithmetic_types')
    maker.head(f'const {type} {name}[{count}] = {type}[]({numbers});')
    result = 'int' if is_signed else 'uint'
    for shift in (0, bits - 7):
        at, arguments = index(rng, count)
        maker.add_rule(result, (20, f'{result}({name}[{at}] >> {shift})', arguments))


def add_tables(maker):
    for _ in range(maker.rng.choice((1, 1, 2, 3))):
        if maker.rng.random() < 0.2:
            add_other(maker)
        else:
            add_plain(maker)
