# SPDX-License-Identifier: MIT
#
# Trees of random GLSL programs: expressions, statements, blocks, and what is known about a float's value.
#
# A node is text with a placeholder for each of its children. Whatever keeps a program well-defined (the mask of a shift
# count, the bound of a loop) is in the text of the node that needs it, never in a child, so any child may be replaced
# by another one of its type. The reducer relies on that.

INT, UINT, BOOL, FLOAT = 'i', 'u', 'b', 'f'
SCALAR = {INT: 'int', UINT: 'uint', BOOL: 'bool', FLOAT: 'float'}
PREFIX = {INT: 'i', UINT: 'u', BOOL: 'b', FLOAT: ''}


def vec(base, n):
    return SCALAR[base] if n == 1 else f'{PREFIX[base]}vec{n}'


SHAPE = {vec(b, n): (b, n) for b in SCALAR for n in (1, 2, 3, 4)}  # type -> (base, components)
MATRIX = {f'mat{c}x{r}' if c != r else f'mat{c}': (c, r) for c in (2, 3, 4) for r in (2, 3, 4)}  # type -> columns, rows


def mat(columns, rows):
    return f'mat{columns}' if columns == rows else f'mat{columns}x{rows}'


class Bound:
    """What is known about a float v: lo <= v <= hi. If err == 0, v is also a multiple of 2^-g that both devices compute
    without rounding. Otherwise each device's value has an error of at most err."""
    __slots__ = ('lo', 'hi', 'g', 'err')

    def __init__(self, lo, hi, g=0, err=0.0):
        self.lo, self.hi, self.g, self.err = lo, hi, g, err

    @property
    def mag(self):
        return max(abs(self.lo), abs(self.hi))

    def is_exact(self):
        """Whether all such values are representable, so that nothing is rounded in any rounding mode."""
        return self.err == 0 and self.mag * 2.0 ** self.g <= 2 ** 24

    def within(self, other):
        return self.lo >= other.lo and self.hi <= other.hi and (
            self.err <= other.err if other.err else not self.err and self.g <= other.g)

    def __repr__(self):
        return f'[{self.lo}, {self.hi}] 2^-{self.g} +-{self.err}'


STORED = Bound(-32.0, 32.0, 4)  # the range of floats in variables, parameters, results and buffers
STORED_MATRIX = Bound(-8.0, 8.0, 2)


class Node:
    """kind: 'e' an expression, 'l' an lvalue, 's' a statement, 'b' a block of statements, 'c' the labels of a switch,
    'f' a function, 'd' a declaration at module level. An expression has a type, and a float's also a bound. Without its
    fixed nodes the program is not well-defined. as_while: the text of a do-while loop as an equivalent while loop."""
    __slots__ = ('kind', 'type', 'text', 'kids', 'bound', 'is_literal', 'is_fixed', 'as_while')

    def __init__(self, kind, text, kids=(), type=None, bound=None, is_literal=False, is_fixed=False):
        self.kind, self.text, self.kids, self.type, self.bound = kind, text, list(kids), type, bound
        self.is_literal, self.is_fixed, self.as_while = is_literal, is_fixed, None

    def render(self, only_while=False):
        """The node's GLSL. only_while: write do-while loops as while loops."""
        kids = [k.render(only_while) for k in self.kids]
        if self.kind in 'bc':
            return '{\n' + ''.join(kids) + '}'
        if self.as_while and only_while:
            text = self.as_while % tuple(reversed(kids))
        elif kids:
            text = self.text % tuple(kids)
        else:
            text = self.text.replace('%%', '%')
        return text + '\n' if self.kind in 'sdf' else text

    def size(self):
        return 1 + sum(k.size() for k in self.kids)


def indent(source):
    """Indents source for people who read a reduced program."""
    depth, lines = 0, []
    for line in source.split('\n'):
        line = line.strip()
        if not line:
            continue
        closes = len(line) - len(line.lstrip('}'))
        lines.append('    ' * max(depth - closes, 0) + line)
        depth += line.count('{') - line.count('}')
    return '\n'.join(lines) + '\n'


def literal(type, value):
    return Node('e', value, type=type, is_literal=True)


def float_text(value):
    text = repr(float(value))
    return f'({text})' if value < 0 else text


def float_literal(value, g=4):
    return Node('e', float_text(value), type='float', bound=Bound(value, value, g), is_literal=True)
