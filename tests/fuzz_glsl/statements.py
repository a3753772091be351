# SPDX-License-Identifier: MIT
#
# Random statements: declarations, assignments, control flow, functions.
from expressions import COMPONENTS, Expressions, Function, stored_bound
from tree import BOOL, FLOAT, INT, MATRIX, SHAPE, UINT, Node, literal, vec

PLAIN_TYPES = ([vec(b, n) for b in (INT, UINT) for n in (1, 1, 1, 2, 3, 4)] + [vec(FLOAT, n) for n in (1, 1, 1, 2, 3, 4)] +
               [vec(BOOL, n) for n in (1, 1, 2, 3, 4)])
ASSIGNMENTS = {INT: ('=', '=', '+=', '-=', '*=', '^=', '|=', '&='), UINT: ('=', '=', '+=', '-=', '*=', '^=', '|=', '&='),
               BOOL: ('=',), FLOAT: ('=', '=', '=')}


class Statements(Expressions):
    def __init__(self, rng):
        super().__init__(rng)
        self.names = 0
        self.depth = 0  # nesting depth of blocks
        self.loops = 0  # number of enclosing loops: break and continue are allowed
        self.switches = 0
        self.result = None  # result type of the enclosing function; None in main
        self.can_return = False
        self.spares = []  # variables declared at the beginning of the function
        self.units = []  # functions that make statements of this program only
        self.uniform_units = []  # likewise, only where all invocations run them: barriers
        self.is_uniform = False
        self.main_locals = []  # (name, type) of main's own variables

    def name(self, prefix='v'):
        self.names += 1
        return f'{prefix}{self.names}'

    def type(self):
        rng = self.rng
        r = rng.random()
        if r < 0.78:
            return rng.choice(PLAIN_TYPES)
        if r < 0.85:
            return rng.choice(list(MATRIX))
        if r < 0.93 or not self.structs:
            return (rng.choice(PLAIN_TYPES + ['mat2', 'mat3']), rng.choice((2, 3, 4, 5, 8)))
        return rng.choice(list(self.structs))

    def type_text(self, type, name):
        return f'{type[0]} {name}[{type[1]}]' if isinstance(type, tuple) else f'{type} {name}'

    def spare(self, type):
        """A variable that only receives a function's output."""
        name = self.name('x')
        self.spares.append((type, name))
        return name

    def zero(self, type):
        if isinstance(type, tuple):
            return f'{type[0]}[{type[1]}]({", ".join([self.zero(type[0])] * type[1])})'
        if type in self.structs:
            return f'{type}({", ".join(self.zero(t) for _, t in self.structs[type])})'
        return f'{type}(0)'

    def make_struct(self):
        name = f'S{len(self.structs)}'
        members = []
        for i in range(self.rng.randint(1, 4)):
            type = self.rng.choice(PLAIN_TYPES + ['mat2', 'mat3', 'mat2x4', 'mat4'] + [('int', 3), ('float', 4), ('vec3', 2), ('uvec2', 3)] +
                                   list(self.structs))
            members.append((f'm{i}', type))
        self.structs[name] = members
        text = ''.join(f'{self.type_text(t, n)};\n' for n, t in members)
        return Node('d', f'struct {name} {{\n{text}}};')

    # Simple statements.

    def declaration(self, depth=3):
        type, name = self.type(), self.name()
        node = Node('s', f'{self.type_text(type, name)} = %s;', [self.fitting(type, depth)])
        self.declare(name, type, True)
        if self.depth == 0 and self.result is None:
            self.main_locals.append((name, type))
        return node

    def assignment(self):
        rng = self.rng
        types = [t for t, paths in self.writes.items() if paths]
        if not types:
            return self.declaration()
        type = rng.choice(types)
        path = rng.choice(self.writes[type])
        target = self.through(path, 2, 'l')
        if type not in SHAPE:
            return Node('s', '%s = %s;', [target, self.fitting(type, 3)])
        base, n = SHAPE[type]
        if n > 1 and rng.random() < 0.4:  # some components only
            if rng.random() < 0.3:
                target = Node('l', f'{target.text}[%s]', target.kids + [self.index(n, 2)], vec(base, 1), target.bound)
                n = 1
            else:
                count = rng.randint(1, n)
                which = rng.sample(COMPONENTS[:n], count)
                target = Node('l', f'{target.text}.{"".join(which)}', target.kids, vec(base, count), target.bound)
                n = count
            type = vec(base, n)
        if base in (INT, UINT) and rng.random() < 0.12:
            return Node('s', rng.choice(('%s++;', '%s--;', '++%s;', '--%s;')), [target])
        if base in (INT, UINT) and rng.random() < 0.15:
            if rng.random() < 0.5:
                return Node('s', rng.choice(('%s <<= (%s & 31);', '%s >>= (%s & 31);')), [target, self.expression('int', 2)])
            divisor = literal(vec(base, 1), str(rng.choice((2, 3, 7, 10, 16))) + ('u' if base == UINT else ''))
            return Node('s', f'%s /= {divisor.text};', [target])
        value = self.expression(type, 3)
        if base == FLOAT:
            value = self.small(self.stored(value)) if target.bound is not None and target.bound.hi == 8.0 else self.stored(value)
        return Node('s', f'%s {rng.choice(ASSIGNMENTS[base])} %s;', [target, value])

    def carry(self):
        """Calls a function with two results."""
        rng = self.rng
        n = rng.randint(1, 4)
        taken = []
        call = rng.choice(('uaddCarry', 'usubBorrow', 'umulExtended', 'imulExtended'))
        type = vec(INT if call[0] == 'i' else UINT, n)
        args = [self.expression(type, 2) for _ in range(2)]
        if call.endswith('Extended'):
            return Node('s', f'{call}(%s, %s, %s, %s);', args + [self.reference(type, taken), self.reference(type, taken)])
        return Node('s', f'%s = {call}(%s, %s, %s);',
                    [self.reference(type, taken), *args, self.reference(type, taken)])

    def split_float(self):
        rng = self.rng
        type = vec(FLOAT, rng.randint(1, 4))
        taken = []
        if rng.random() < 0.5:
            return Node('s', '%s = modf(%s, %s);', [self.reference(type, taken), self.fitting(type, 2), self.reference(type, taken)])
        # The exponents of zero, infinity, NaN and denormals are undefined.
        exponent = self.reference(vec(INT, SHAPE[type][1]), taken)
        n = SHAPE[type][1]
        source = Node('e', f'({type}(%s & 31) * 2.0 + 1.0)', [self.expression(vec(INT, n), 2)], type)
        return Node('s', '%s = frexp(%s, %s) * 32.0;', [self.reference(type, taken), source, exponent])

    def call_statement(self):
        usable = [f for f in self.functions if f.cost * self.times + self.cost < 12000]
        if not usable or self.in_call:
            return self.assignment()
        return Node('s', '%s;', [self.call_of(self.rng.choice(usable), 3)])

    # Control flow.

    def block(self, count, uniform=False):
        """A block with its own scope."""
        mark = self.mark()
        was = self.is_uniform
        self.is_uniform = self.is_uniform and uniform
        self.depth += 1
        kids = [self.statement() for _ in range(count)]
        self.depth -= 1
        self.is_uniform = was
        self.leave(mark)
        return Node('b', '', kids)

    def some(self):
        return self.rng.choice((1, 1, 2, 2, 3)) if self.nodes_left > 0 else 1

    def branch(self):
        condition = self.expression('bool', 3)
        if self.rng.random() < 0.5:
            return Node('s', 'if (%s) %s', [condition, self.block(self.some())])
        return Node('s', 'if (%s) %s else %s', [condition, self.block(self.some()), self.block(self.some())])

    def loop_body(self, trips, counter=None, uniform=False):
        """The body of a loop. All invocations must run a uniform loop completely, so no statement may leave it."""
        mark = self.mark()
        times, self.times = self.times, self.times * trips
        loops, self.loops = self.loops, 0 if uniform else self.loops + 1
        switches, self.switches = self.switches, 0
        if counter:
            self.counters.append((counter, trips))
            self.declare(counter, 'int', False)
        body = self.block(self.some(), uniform)
        self.switches = switches
        self.loops = loops
        self.times = times
        self.leave(mark)
        return body

    def loop(self):
        rng = self.rng
        name = self.name('i')
        kind = rng.randrange(6)
        trips = rng.choice((2, 3, 4, 5)) if self.times == 1 else rng.choice((2, 3))
        if self.is_uniform and rng.random() < 0.3:
            return Node('s', f'for (int {name} = 0; {name} < {trips}; {name}++) %s',
                        [self.loop_body(trips, name, uniform=True)])
        if kind == 0:
            return Node('s', f'for (int {name} = 0; {name} < {trips}; {name}++) %s', [self.loop_body(trips, name)])
        if kind == 1:  # the trip count differs between invocations
            bound = self.expression('int', 2)
            return Node('s', f'for (int {name} = 0; {name} < (%s & {3 if trips < 4 else 7}); {name}++) %s',
                        [bound, self.loop_body(4 if trips < 4 else 8, name)])
        if kind == 2:
            condition = self.expression('bool', 2)
            return Node('s', f'for (int {name} = 0; {name} < {trips} && %s; {name}++) %s',
                        [condition, self.loop_body(trips, name)])
        if kind == 3:
            return Node('s', f'for (int {name} = {trips - 1}; {name} >= 0; {name}--) %s', [self.loop_body(trips, name)])
        if kind == 4:
            condition, body = self.expression('bool', 2), self.loop_body(trips)
            return Node('s', f'{{ int {name} = 0;\nwhile ({name}++ < {trips} && %s) %s }}', [condition, body])
        # lavapipe removes too few invocations from a loop when the continue construct has branches that diverge. So the
        # condition is a variable, or uniform.
        if rng.random() < 0.4:
            body, condition = self.loop_body(trips), self.uniform_condition()
            loop = Node('s', f'{{ int {name} = 0;\ndo %s while (++{name} < {trips} && %s); }}', [body, condition])
            loop.as_while = (f'{{ int {name} = 0;\nbool {name}d = true;\nwhile ({name}d || (++{name} < {trips} && %s)) '
                             f'{{ {name}d = false; %s }} }}')
            return loop
        body = self.loop_body(trips)
        mark = self.mark()
        body.kids.append(Node('s', f'{name}c = %s;', [self.expression('bool', 2)]))
        self.leave(mark)
        loop = Node('s', f'{{ int {name} = 0;\nbool {name}c = true;\ndo %s while (++{name} < {trips} && {name}c); }}', [body])
        loop.as_while = (f'{{ int {name} = 0;\nbool {name}c = true, {name}d = true;\n'
                         f'while ({name}d || (++{name} < {trips} && {name}c)) {{ {name}d = false; %s }} }}')
        return loop

    def uniform_condition(self):
        reads, self.reads = self.reads, self.uniform_reads
        calls, self.in_call = self.in_call, 1
        self.extra, self.choices, extra, choices = {}, {}, self.extra, self.choices
        node = self.expression('bool', 3)
        self.reads, self.in_call, self.extra, self.choices = reads, calls, extra, choices
        return node

    def switch(self):
        """A switch with labels in any order, with or without default, and some cases that fall through."""
        rng = self.rng
        unsigned = rng.random() < 0.3
        mask = rng.choice((3, 3, 7))
        selector = self.expression('uint' if unsigned else 'int', 2)
        values = rng.sample(range(mask + 2), rng.randint(1, min(mask + 1, 5)))
        labels = [f'case {v}{"u" if unsigned else ""}:' for v in values]
        if rng.random() < 0.8:
            labels.insert(rng.randint(0, len(labels)), 'default:')
        self.switches += 1
        kids = []
        for i, label in enumerate(labels):
            if i + 1 < len(labels) and rng.random() < 0.2:
                kids.append(Node('s', label))  # two labels for one block
                continue
            body = self.block(self.some())
            if rng.random() < 0.65:
                body.kids.append(Node('s', 'break;'))
            kids.append(Node('s', label + ' %s', [body]))
        self.switches -= 1
        # The last label needs a statement.
        if not kids[-1].kids:
            kids[-1] = Node('s', labels[-1] + ' %s', [Node('b', '', [Node('s', 'break;')])])
        head = Node('c', '', kids)
        return Node('s', f'switch (%s & {mask}{"u" if unsigned else ""}) %s', [selector, head])

    def jump(self):
        """A statement that leaves a loop, switch or function, mostly under a condition so that code can follow it."""
        rng = self.rng
        ways = []
        if self.loops:
            ways += ['continue;'] + ([] if self.switches else ['break;'])
        if self.switches:
            ways += ['break;']
        if self.can_return and rng.random() < 0.5:
            ways = ['return']
        if not ways:
            return self.branch()
        way = rng.choice(ways)
        if way == 'return':
            leave = self.return_statement()
        else:
            leave = Node('s', way)
        if rng.random() < 0.9:
            return Node('s', 'if (%s) %s', [self.expression('bool', 3), Node('b', '', [leave])])
        return leave

    def return_statement(self, is_last=False):
        if self.result in (None, 'void'):
            return Node('s', 'return;')
        return Node('s', 'return %s;', [self.fitting(self.result, 3)], is_fixed=is_last)

    def statement(self):
        rng = self.rng
        if self.nodes_left <= 0:
            return self.assignment()
        r = rng.random()
        if r < 0.18:
            return self.declaration()
        if r < 0.50:
            return self.assignment()
        if r < 0.54:
            return self.call_statement()
        if r < 0.56:
            return self.carry() if rng.random() < 0.6 else self.split_float()
        if r < 0.66:
            makers = list(self.units)
            if self.is_uniform:
                makers += self.uniform_units * 2
            return rng.choice(makers)() if makers else self.assignment()
        if self.depth >= 4 or self.times > 40:
            return self.jump() if rng.random() < 0.4 else self.assignment()
        if r < 0.77:
            return self.branch()
        if r < 0.86:
            return self.loop()
        if r < 0.93:
            return self.switch()
        return self.jump()

    def body(self, make):
        """The statements of a function, preceded by the variables that calls write to."""
        outer, self.spares = self.spares, []
        kids = make()
        heads = [Node('s', f'{self.type_text(t, n)} = {self.zero(t)};') for t, n in self.spares]
        self.spares = outer
        return heads + kids

    # Functions.

    def function(self):
        rng = self.rng
        name = self.name('f')
        result = rng.choice(['void', 'bool'] + PLAIN_TYPES + list(self.structs) + ['mat2', 'mat3'])
        parameters = []
        mark, cost, times = self.mark(), self.cost, self.times
        self.cost, self.times = 0, 4  # assumes that it is called in a loop
        texts, heads = [], []
        for _ in range(rng.randint(0, 4)):
            direction = rng.choice(('in', 'in', 'in', 'out', 'inout'))
            type = self.type()
            parameter = self.name('p')
            parameters.append((direction, type))
            texts.append(f'{direction} {self.type_text(type, parameter)}')
            if direction == 'out':
                heads.append(Node('s', f'{parameter} = {self.zero(type)};', is_fixed=True))
            self.declare(parameter, type, True)
        self.result, self.can_return = result, True

        def make():
            kids = [self.statement() for _ in range(rng.randint(1, 4))]
            return heads + kids + ([] if result == 'void' else [self.return_statement(is_last=True)])
        kids = self.body(make)
        self.result, self.can_return = None, False
        self.leave(mark)
        cost_of_call, self.cost, self.times = self.cost // 4, cost, times
        self.functions.append(Function(name, result, parameters, cost_of_call))
        return Node('f', f'{result} {name}({", ".join(texts)}) %s', [Node('b', '', kids)])
