# SPDX-License-Identifier: MIT
#
# Computes where the members of a block lie, and generates contents for them that random programs
# accept.
import struct

from tree import BOOL, FLOAT, INT, MATRIX, SHAPE

STD140, ROW_MAJOR = 1, 2  # rules of a block; 0: std430, column-major


def qualifiers(rules):
    return ('std140' if rules & STD140 else 'std430') + (', row_major' if rules & ROW_MAJOR else '')


def random_rules(rng, is_std140):
    return (STD140 if is_std140 else 0) | (ROW_MAJOR if rng.random() < 0.25 else 0)


def vectors_of(type, rules):
    """How many vectors a matrix is stored as, and of how many numbers."""
    columns, rows = MATRIX[type]
    return (rows, columns) if rules & ROW_MAJOR else (columns, rows)


def up(value, alignment):
    return -(-value // alignment) * alignment


def place(type, rules, structs):
    """(alignment, size, stride) of a type; the stride is of the elements of an array or matrix. An array is (type,
    count)."""
    if isinstance(type, tuple):
        alignment, size, _ = place(type[0], rules, structs)
        if rules & STD140:
            alignment = up(alignment, 16)
        stride = up(size, alignment)
        return alignment, stride * type[1], stride
    if type in MATRIX:
        count, n = vectors_of(type, rules)
        alignment = 16 if rules & STD140 else (8 if n == 2 else 16)
        return alignment, alignment * count, alignment
    if type in structs:
        at, alignment = 0, 16 if rules & STD140 else 4
        for _, member in structs[type]:
            a, size, _ = place(member, rules, structs)
            at, alignment = up(at, a) + size, max(alignment, a)
        return alignment, up(at, alignment), 0
    _, n = SHAPE[type]
    return (4, 8, 16, 16)[n - 1], 4 * n, 0


def words(type, at, rules, structs):
    """Yields the words of a value at byte `at`: (byte, base type, whether it belongs to a matrix)."""
    if isinstance(type, tuple):
        stride = place(type, rules, structs)[2]
        for i in range(type[1]):
            yield from words(type[0], at + i * stride, rules, structs)
    elif type in MATRIX:
        count, n = vectors_of(type, rules)
        stride = place(type, rules, structs)[2]
        for c in range(count):
            for r in range(n):
                yield at + c * stride + r * 4, FLOAT, True
    elif type in structs:
        for _, member in structs[type]:
            a, size, _ = place(member, rules, structs)
            at = up(at, a)
            yield from words(member, at, rules, structs)
            at += size
    else:
        base, n = SHAPE[type]
        for i in range(n):
            yield at + i * 4, base, False


def random_word(rng, base, of_matrix):
    if base == FLOAT:  # within tree.STORED, tree.STORED_MATRIX
        value = rng.randint(-32, 32) / 4 if of_matrix else rng.randint(-512, 512) / 16
        return struct.pack('<f', value)
    if base == BOOL:
        return struct.pack('<I', rng.choice((0, 1, 1, 2, 0x80000000)))
    if rng.random() < 0.6:
        value = rng.randint(-9, 70) if base == INT else rng.randint(0, 70)
    else:
        value = rng.choice((-1, 0x7fffffff, -0x80000000, rng.getrandbits(32), rng.getrandbits(16), 1 << rng.randrange(32)))
    return struct.pack('<I', value & 0xffffffff)


def contents(rng, members, rules, structs, count=1):
    """The bytes of a block with these members, or of `count` consecutive structs; and the kind of each word of one of
    them: a base type, or '-' for a gap."""
    structs = dict(structs, **{'': members})
    alignment, size, _ = place('', rules, structs)
    kinds = ['-'] * (size // 4)
    matrices = set()
    for at, base, of_matrix in words('', 0, rules, structs):
        kinds[at // 4] = base
        if of_matrix:
            matrices.add(at // 4)
    out = bytearray()
    for _ in range(count):
        for i, kind in enumerate(kinds):
            out += random_word(rng, kind, i in matrices) if kind != '-' else b'\xcc\xcc\xcc\xcc'
    return bytes(out), kinds
