# SPDX-License-Identifier: MIT
#
# Random expressions over the variables and functions that are in scope.
import re
from bisect import bisect_right

import rules
from tree import (BOOL, FLOAT, INT, MATRIX, SCALAR, SHAPE, STORED, STORED_MATRIX, UINT, Bound, Node, float_literal, literal,
                  mat, vec)

INTERESTING = (0, 1, 2, 3, 5, 7, 8, 15, 16, 31, 32, 63, 100, 127, 128, 255, 256, 1000, 32767, 65535, 65536, 0x7fffffff,
               0x80000000, 0xffffffff, 0xfffffffe, 0x55555555, 0xdeadbeef)
COMPONENTS = 'xyzw'


class Path:
    """A way to read or write a value: text with a placeholder for each index, and the number of values each index may
    have."""
    __slots__ = ('text', 'type', 'sizes', 'bound')

    def __init__(self, text, type, sizes=(), bound=None):
        self.text, self.type, self.sizes, self.bound = text, type, sizes, bound


class Function:
    __slots__ = ('name', 'result', 'parameters', 'cost')

    def __init__(self, name, result, parameters, cost):
        self.name, self.result, self.parameters, self.cost = name, result, parameters, cost


NUMBER = re.compile(r'\b(0x[0-9a-f]+|[0-9.]+(e[+-]?[0-9]+)?)[uf]?')
WORD = re.compile(r'[A-Za-z_]\w*')


def is_specialised(text):
    """Whether there are specialisation constants (K0, K1, ...) and besides them only literals and constructors."""
    words = WORD.findall(NUMBER.sub('', text))
    is_number = [re.fullmatch(r'K\d+', word) is not None for word in words]
    return any(is_number) and all(n or word in SHAPE or word in ('true', 'false') for n, word in zip(is_number, words))


def stored_bound(type):
    if type in MATRIX:
        return STORED_MATRIX
    return STORED if type in SHAPE and SHAPE[type][0] == FLOAT else None


class Expressions:
    """rng: the only source of randomness. reads, writes: type -> paths, by scope. cost: the number of nodes that one
    invocation will execute, which limits calls in loops."""

    def __init__(self, rng):
        self.rng = rng
        self.structs = {}  # name -> [(member, type)]
        self.reads, self.writes = {}, {}
        self.uniform_reads = {}  # values that are the same in all invocations
        self.undo = []
        self.counters = []  # loop counters: name and number of values from 0
        self.functions = []
        self.times, self.cost = 1, 0
        self.nodes_left = 400
        self.extra = {}  # type -> rules of this program only: texture lookups, subgroup operations
        self.choices = {}  # type -> rules.Choice of all rules
        self.helpers = set()
        self.constants = set()  # const arrays: glslang makes invalid SPIR-V if it knows that an index is a specialisation constant
        self.in_call = 0

    # Scopes.

    def _add(self, table, path):
        table.setdefault(path.type, []).append(path)
        self.undo.append((table, path.type))

    def mark(self):
        return len(self.undo), len(self.counters)

    def leave(self, mark):
        while len(self.undo) > mark[0]:
            table, type = self.undo.pop()
            table[type].pop()
        del self.counters[mark[1]:]

    def declare(self, text, type, writable, sizes=(), uniform=False):
        """Declares everything that can be reached through a variable."""
        path = Path(text, type, sizes, stored_bound(type))
        self._add(self.reads, path)
        if uniform and not sizes:
            self._add(self.uniform_reads, path)
        if writable:
            self._add(self.writes, path)
        if isinstance(type, tuple):
            self.declare(text + '[%s]', type[0], writable, sizes + (type[1],), uniform)
        elif type in MATRIX:
            columns, rows = MATRIX[type]
            for t, more, inside in ((vec(FLOAT, rows), '[%s]', (columns,)), ('float', '[%s][%s]', (columns, rows))):
                path = Path(text + more, t, sizes + inside, STORED_MATRIX)
                self._add(self.reads, path)
                if writable:
                    self._add(self.writes, path)
        elif type in self.structs:
            for name, member in self.structs[type]:
                self.declare(f'{text}.{name}', member, writable, sizes, uniform)

    # Leaves.

    def int_value(self):
        r = self.rng.random()
        if r < 0.5:
            return self.rng.randint(-4, 12)
        if r < 0.8:
            return self.rng.choice(INTERESTING)
        return self.rng.getrandbits(32)

    def literal(self, type):
        rng = self.rng
        base, n = SHAPE[type]
        if n > 1:
            if rng.random() < 0.3:
                kids = [self.literal(SCALAR[base])]
            else:
                kids = [self.literal(SCALAR[base]) for _ in range(n)]
            bound = None
            if base == FLOAT:
                bound = kids[0].bound
                for k in kids[1:]:
                    bound = rules.either(bound, k.bound)
            return Node('e', f'{type}({", ".join(["%s"] * len(kids))})', kids, type, bound)
        if base == BOOL:
            return literal(type, rng.choice(('true', 'false')))
        if base == FLOAT:
            if rng.random() < 0.4:
                return float_literal(rng.choice((0.0, 1.0, -1.0, 0.5, 2.0, -2.0, 0.25, 4.0)))
            return float_literal(rng.randint(-128, 128) / 16)
        value = self.int_value() & 0xffffffff
        if base == UINT:
            return literal(type, f'{value}u' if value < 4096 else f'0x{value:x}u')
        if value == 0x80000000:
            return literal(type, 'int(0x80000000u)')
        if value > 0x80000000:
            return literal(type, f'({value - 2 ** 32})')
        return literal(type, str(value))

    def index(self, count, depth):
        """An int index below count."""
        rng = self.rng
        usable = [name for name, bound in self.counters if bound <= count]
        r = rng.random()
        if usable and r < 0.5:
            return literal('int', rng.choice(usable))
        if r < 0.7 or depth <= 0:
            return literal('int', str(rng.randrange(count)))
        if count & (count - 1) == 0:
            return Node('e', f'(%s & {count - 1})', [self.expression('int', depth - 1)], 'int')
        if rng.random() < 0.5:
            return Node('e', f'int(%s %% {count}u)', [self.expression('uint', depth - 1)], 'int')
        return Node('e', f'clamp(%s, 0, {count - 1})', [self.expression('int', depth - 1)], 'int')

    def through(self, path, depth, kind='e'):
        indices = [self.index(n, min(depth, 2)) for n in path.sizes]
        if root(path.text) in self.constants:
            indices = [i if i.render().isdigit() else Node('e', '(%s | int(ZERO))', [i], 'int') for i in indices]
        return Node(kind, path.text, indices, path.type, path.bound)

    def variable(self, type, depth):
        paths = self.reads.get(type)
        return self.through(self.rng.choice(paths), depth) if paths else None

    def converted(self, type):
        """A variable of another type, converted, where none of this type exists."""
        if type not in SHAPE:
            return None
        base, n = SHAPE[type]
        for other in self.rng.sample((INT, UINT, FLOAT), 3):
            node = other != base and (self.variable(vec(other, n), 1) or self.variable(vec(other, 1), 1))
            if node and base == FLOAT:
                return Node('e', f'{type}(%s & 63{"u" if other == UINT else ""})', [node], type, Bound(0.0, 63.0, 0))
            if node and base == UINT and other == FLOAT:
                return Node('e', f'{type}(abs(%s))', [node], type)
            if node:
                return Node('e', f'{type}(%s)', [node], type)
        return None

    # Floats in the range of variables.

    def stored(self, node):
        """The node itself, or a value computed from it, within the range of variables."""
        if node.type in MATRIX:
            if node.bound.within(STORED_MATRIX):
                return node
            self.helpers.add(node.type)
            return Node('e', f'fit_{node.type}(%s)', [node], node.type, STORED_MATRIX)
        if node.bound.within(STORED):
            return node
        n = SHAPE[node.type][1]
        if node.bound.g <= STORED.g and self.rng.random() < 0.3:
            return Node('e', 'clamp(%s, -32.0, 32.0)', [node], node.type, Bound(-32.0, 32.0, node.bound.g))
        # As an int of at most 24 bits, four of them fractional.
        text = f'({node.type}({vec(INT, n)}(%s) & 1023) * 0.0625 - 32.0)'
        if node.bound.mag < 2 ** 19:
            text = f'({node.type}({vec(INT, n)}(%s * 16.0) & 1023) * 0.0625 - 32.0)'
        return Node('e', text, [node], node.type, STORED)

    # Whole expressions.

    def expression(self, type, depth):
        """A random expression. A float is exact, but is in the range of variables only after stored()."""
        self.cost += self.times
        self.nodes_left -= 1
        if self.nodes_left < 0:
            depth = 0
        rng = self.rng
        r = rng.random()
        if depth <= 0 or r < 0.25:
            if rng.random() < 0.85:
                node = self.variable(type, depth) or self.converted(type)
                if node:
                    return node
            return self.constructor(type, depth) if type not in SHAPE else self.literal(type)
        if r < 0.31:
            return self.ternary(type, depth)
        if r < 0.40:
            node = self.call(type, depth)
            if node:
                return node
        if type in MATRIX:
            return self.matrix(type, depth)
        if type in SHAPE:
            return self.operation(type, depth)
        return self.variable(type, depth) or self.constructor(type, depth)

    def fitting(self, type, depth):
        node = self.expression(type, depth)
        return self.stored(node) if node.bound else node

    def ternary(self, type, depth):
        kids = [self.expression('bool', depth - 1), self.expression(type, depth - 1), self.expression(type, depth - 1)]
        bound = rules.either(kids[1].bound, kids[2].bound) if kids[1].bound else None
        if bound and not bound.is_exact():
            kids[1:] = [self.stored(k) for k in kids[1:]]
            bound = stored_bound(type)
        # lavapipe selects only the first component where all three are known when the pipeline is made.
        if type in SHAPE and SHAPE[type][1] > 1 and is_specialised(kids[0].render()):
            kids[0] = Node('e', '(%s && ZERO == 0.0)', kids[:1], 'bool')
        return Node('e', '(%s ? %s : %s)', kids, type, bound)

    def call(self, type, depth):
        if self.in_call:
            return None
        fits = [f for f in self.functions if f.result == type and f.cost * self.times + self.cost < 12000]
        return self.call_of(self.rng.choice(fits), depth) if fits else None

    def call_of(self, function, depth):
        self.in_call += 1  # calls in arguments could write what is passed by reference
        self.cost += function.cost * self.times
        taken, kids = [], []
        for direction, type in function.parameters:
            if direction == 'in':
                kids.append(self.fitting(type, depth - 1))
            else:
                kids.append(self.reference(type, taken))
        self.in_call -= 1
        text = f'{function.name}({", ".join(["%s"] * len(kids))})'
        return Node('e', text, kids, function.result, stored_bound(function.result))

    def reference(self, type, taken):
        """A different variable each time, because the order of the copies back is undefined."""
        paths = [p for p in self.writes.get(type, ()) if p.bound is None or p.bound is stored_bound(type)]
        paths = [p for p in paths if root(p.text) not in taken]
        if not paths:
            name = self.spare(type)
            taken.append(name)
            return Node('l', name, (), type)
        path = self.rng.choice(paths)
        taken.append(root(path.text))
        return self.through(path, 0, 'l')

    def spare(self, type):
        raise NotImplementedError

    def constructor(self, type, depth):
        if isinstance(type, tuple):
            kids = [self.fitting(type[0], depth - 2) for _ in range(type[1])]
            return Node('e', f'{type[0]}[{type[1]}]({", ".join(["%s"] * len(kids))})', kids, type)
        if type in MATRIX:
            columns, rows = MATRIX[type]
            if self.rng.random() < 0.3:
                return Node('e', f'{type}(%s)', [self.small(self.fitting('float', depth - 2))], type, STORED_MATRIX)
            kids = [self.small(self.fitting(vec(FLOAT, rows), depth - 2)) for _ in range(columns)]
            return Node('e', f'{type}({", ".join(["%s"] * len(kids))})', kids, type, STORED_MATRIX)
        kids = [self.fitting(member, depth - 2) for _, member in self.structs[type]]
        return Node('e', f'{type}({", ".join(["%s"] * len(kids))})', kids, type)

    def small(self, node):
        """The node, brought into the range of matrices in variables."""
        if node.bound.within(STORED_MATRIX):
            return node
        n = SHAPE[node.type][1]
        return Node('e', f'({node.type}({vec(INT, n)}(%s * 4.0) & 63) * 0.25 - 8.0)', [self.stored(node)], node.type,
                    STORED_MATRIX)

    def matrix(self, type, depth):
        rng = self.rng
        columns, rows = MATRIX[type]
        small = lambda t: self.stored(self.expression(t, depth - 1))
        r = rng.randrange(9)
        b = STORED_MATRIX
        if r == 0:
            return Node('e', '(%s + %s)', [small(type), small(type)], type, rules.total(b, b))
        if r == 1:
            return Node('e', '(%s - %s)', [small(type), small(type)], type, rules.difference(b, b))
        if r == 2:
            inner = rng.choice((2, 3, 4))
            return Node('e', '(%s * %s)', [small(mat(inner, rows)), small(mat(columns, inner))], type, rules.dotted(inner)(b, b))
        if r == 3:
            return Node('e', 'transpose(%s)', [small(mat(rows, columns))], type, b)
        if r == 4:
            return Node('e', 'matrixCompMult(%s, %s)', [small(type), small(type)], type, rules.product(b, b))
        if r == 5:
            kids = [self.small(self.fitting(vec(FLOAT, n), depth - 1)) for n in (rows, columns)]
            return Node('e', 'outerProduct(%s, %s)', kids, type, rules.product(b, b))
        if r == 6:
            kids = [small(type), self.small(self.fitting('float', depth - 1))]
            return Node('e', '(%s * %s)', kids, type, rules.product(b, b))
        if r == 7:
            return Node('e', f'{type}(%s)', [small(mat(rng.choice((2, 3, 4)), rng.choice((2, 3, 4))))], type, b)
        return self.constructor(type, depth)

    def operation(self, type, depth):
        choice = self.choices.get(type)
        if not choice:
            choice = self.choices[type] = rules.Choice(rules.RULES[type].rules + self.extra.get(type, []))
        return self.apply(type, choice.rules[bisect_right(choice.sums, self.rng.random() * choice.sums[-1])], depth)

    def apply(self, type, rule, depth):
        text, arguments = rule[1], rule[2]
        kids = []
        for base, n in arguments:
            if base == 'F':
                kids.append(self.fitting(vec(FLOAT, n), depth - 1))
            elif base == 'm':
                kids.append(self.stored(self.expression(n, depth - 1)))
            elif base == 'index':
                kids.append(self.index(n, depth - 1))
            else:
                kids.append(self.expression(vec(base, n), depth - 1))
        if SHAPE[type][0] != FLOAT:
            return Node('e', text, kids, type)
        bound = rule[3](*[k.bound for k in kids])
        if not bound.is_exact():
            kids = [self.stored(k) if k.bound else k for k in kids]
            bound = rule[3](*[k.bound for k in kids])
        if not bound.is_exact():
            return self.literal(type)
        return Node('e', text, kids, type, bound)

    # Inexact expressions: only for results that are compared with a tolerance.

    def inexact(self, depth):
        """A float with a known range and error."""
        rng = self.rng
        if depth <= 0 or rng.random() < 0.4:
            text, domain, image, err = rng.choice(rules.ROUNDED)
            x = self.fitting('float', 2)
            lo, hi = domain
            if x.bound.lo < lo or x.bound.hi > hi:
                if rng.random() < 0.5:
                    x = Node('e', f'clamp(%s, {float(lo)}, {float(hi)})', [x], 'float', Bound(lo, hi, 4))
                else:  # steps across the range
                    step = (hi - lo) / 64
                    x = Node('e', f'(float(%s & 63) * {step} + {float(lo)})', [self.expression('int', 2)], 'float',
                             Bound(lo, hi, 10))
            return Node('e', text.replace('{F}', 'float'), [x], 'float', Bound(*image, 0, err))
        r = rng.randrange(7)
        a = self.inexact(depth - 1)
        if r == 0:
            return Node('e', '(-%s)', [a], 'float', Bound(-a.bound.hi, -a.bound.lo, 0, a.bound.err))
        if r == 1:
            return Node('e', 'abs(%s)', [a], 'float', Bound(0, a.bound.mag, 0, a.bound.err))
        b = self.inexact(depth - 1) if rng.random() < 0.5 else self.fitting('float', 2)
        ab, bb = a.bound, b.bound
        if r == 2:
            return Node('e', 'min(%s, %s)', [a, b], 'float', rules.either(ab, bb))
        if r == 3:
            return Node('e', '(%s ? %s : %s)', [self.expression('bool', 2), a, b], 'float', rules.either(ab, bb))
        if r == 4:
            bound = rules.product(ab, bb)
            bound.err = ab.mag * bb.err + bb.mag * ab.err + ab.err * bb.err + rules.relative(bound.mag, 1)
            return Node('e', '(%s * %s)', [a, b], 'float', bound)
        bound = rules.total(ab, bb) if r == 5 else rules.difference(ab, bb)
        bound.err = ab.err + bb.err + rules.relative(bound.mag, 1)
        return Node('e', '(%s + %s)' if r == 5 else '(%s - %s)', [a, b], 'float', bound)


def root(text):
    """The variable of a path."""
    for i, c in enumerate(text):
        if not (c.isalnum() or c == '_'):
            return text[:i]
    return text
