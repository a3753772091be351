# SPDX-License-Identifier: MIT
#
# Generates random programs with everything that they need to run: a compute shader, or a vertex shader with a fragment
# shader.
#
# The same seed gives the same program. Programs are well-defined on any device: two devices must agree on every
# integer, on every float that is computed without rounding, and within Vulkan's precision on all others.
import random
import struct

import atomics
import descriptors
import doubles
import integers64
import layout
import narrow
import otherwise
import subgroups
import tables
import textures
import widths
from statements import Statements
from tree import BOOL, FLOAT, INT, MATRIX, SHAPE, STORED, UINT, Bound, Node, vec

UNIFORM_BUFFER, STORAGE_BUFFER, SAMPLED, STORAGE_IMAGE, INLINE_BLOCK = 6, 7, 1, 3, 1000138000  # VkDescriptorType
VERTEX, FRAGMENT, COMPUTE = 1, 16, 32  # VkShaderStageFlagBits
STAGE_NUMBER = {VERTEX: 0, FRAGMENT: 1, COMPUTE: 2}  # as glsl_compile numbers them
EXTENSION = {VERTEX: 'vert', FRAGMENT: 'frag', COMPUTE: 'comp'}


class Resource:
    """A descriptor. kinds: the kind of each word of an output, repeated: a base type, '-' for a gap that nothing
    writes, or the greatest allowed difference. element: of an array of descriptors."""

    def __init__(self, binding, type, data, kinds=None, image=None, element=0, is_null=False, has_address=False, addresses=(),
                 plain_format=None):
        self.binding, self.type, self.data, self.kinds, self.image = binding, type, data, kinds, image
        self.element, self.is_null = element, is_null
        self.plain_format = plain_format  # of an image, for the reference
        self.has_address, self.addresses = has_address, addresses  # (byte, number of the resource whose address stands there)

    def message(self, plain):
        # lavapipe crashes with some sets that have inline uniform blocks and uniform buffers.
        type = UNIFORM_BUFFER if plain and self.type == INLINE_BLOCK else self.type
        flags = (1 if self.is_null else 0) | (2 if self.has_address else 0) | (4 if self.addresses else 0)
        out = struct.pack('<5I', self.binding, self.element, type, flags, len(self.data))
        image = (self.plain_format, *self.image[1:]) if plain and self.plain_format else self.image
        out += (struct.pack('<13I', *image) if image else b'') + self.data
        if self.addresses:
            out += struct.pack('<I', len(self.addresses)) + b''.join(struct.pack('<2I', *a) for a in self.addresses)
        return out


class Program:
    """stages: (stage, nodes at module level). draw: the draw part of glsl_run's request, or None for a dispatch.

    has_twin: the reference gets another text of the same program, compiled with PLAIN defined, because it lacks
    something. rewrites: what assembly.py does to the modules of the driver under test. needs_robust: only defined with
    robustness2."""

    def __init__(self, seed):
        self.seed = seed
        self.stages = []
        self.resources = []
        self.specs = []  # number, value, bytes
        self.target = 0  # glsl_compile's number of the version of SPIR-V
        self.has_twin = self.needs_robust = False
        self.rewrites = []
        self.push = b''
        self.groups = (1, 1, 1)
        self.draw = None
        self.targets = []  # kinds of the words of a pixel, per color target
        self.structs = {}  # stage -> name -> members

    def sources(self, only_while=False, plain=False):
        version = '#version 450\n'
        return [(stage, ''.join(n.render(only_while) for n in nodes).replace(version, version + '#define PLAIN\n' * plain, 1))
                for stage, nodes in self.stages]

    def message(self, modules, plain=False):
        """The request for glsl_run; modules: the SPIR-V of each stage; plain: for the reference."""
        out = [struct.pack('<II', self.draw is not None, len(self.specs))]
        out += [struct.pack('<IIQ', n, size, v & (1 << 8 * size) - 1) for n, v, size in self.specs]
        out += [struct.pack('<I', len(self.push)), self.push]
        for (stage, _), module in zip(self.stages, modules):
            out += [struct.pack('<II', stage, len(module)), module]
        out += [struct.pack('<I', len(self.resources))] + [r.message(plain) for r in self.resources]
        out.append(self.draw if self.draw is not None else struct.pack('<3I', *self.groups))
        return b''.join(out)

    def output_kinds(self):
        return [r.kinds for r in self.resources if r.type in (STORAGE_BUFFER, STORAGE_IMAGE) and not r.is_null] + self.targets


class Maker(Statements):
    """Generates what all stages have in common: blocks of memory, structs, functions, specialisation constants."""

    def __init__(self, rng, program, stage, bindings):
        super().__init__(rng)
        self.program, self.stage = program, stage
        self.heads = []  # declarations
        self.added = []  # (type, rule) of this program only
        self.musts = []  # functions that make statements which main must have
        self.extensions = []
        self.has_derivatives = stage == FRAGMENT
        self.can_store = stage != VERTEX  # a vertex may be processed more than once
        self.nodes_left = rng.choice((40, 80, 150, 150, 300))
        self.bindings = bindings  # the next binding, in a list that all stages of a program share

    def binding(self):
        self.bindings[0] += 1
        return self.bindings[0] - 1

    def head(self, text, is_fixed=False):
        self.heads.append(Node('d', text, is_fixed=is_fixed))

    resource = Resource

    def add_resource(self, *arguments):
        self.program.resources.append(Resource(*arguments))

    def interface(self, varying, direction):
        if varying.width:
            self.extensions += widths.EXTENSIONS
            self.program.has_twin = True
        self.head(varying.declaration(direction), True)

    def add_rule(self, type, rule):
        self.extra.setdefault(type, []).append(rule)
        self.added.append((type, rule))

    def uses(self):
        """Statements that use what this program has and others do not: some of its rules, and what must be there."""
        kids = [make() for make in self.musts]
        for type, rule in self.rng.sample(self.added, min(len(self.added), self.rng.choice((1, 2, 3, 4)))):
            name, node = self.name(), self.apply(type, rule, 2)
            kids.append(Node('s', f'{type} {name} = %s;', [self.stored(node) if node.bound else node]))
            self.declare(name, type, True)
            self.main_locals.append((name, type))
        return kids

    def finish(self, functions, main):
        zero = {VERTEX: 'gl_InstanceIndex', FRAGMENT: 'int(gl_FragCoord.z)', COMPUTE: 'gl_NumWorkGroups.z - 1u'}[self.stage]
        extensions = dict.fromkeys(self.extensions)
        heads = [self.heads[0]] + [Node('d', f'#extension {e} : enable', is_fixed=True) for e in extensions]
        heads.append(Node('d', f'#define ZERO float({zero})', is_fixed=True))
        nodes = heads + self.heads[1:] + list(self.fit_functions()) + functions
        nodes.append(Node('f', 'void main() %s', [Node('b', '', main)]))
        self.program.stages.append((self.stage, nodes))
        self.program.structs[self.stage] = self.structs

    def member_type(self):
        rng = self.rng
        types = [vec(b, n) for b in (INT, UINT, FLOAT) for n in (1, 2, 3, 4)] + ['mat2', 'mat3', 'mat4', 'mat2x3', 'mat4x2']
        r = rng.random()
        if r < 0.75:
            return rng.choice(types)
        if r < 0.85 and self.plain_structs():
            return rng.choice(self.plain_structs())
        return (rng.choice(types + self.plain_structs()), rng.choice((2, 3, 4)))

    def plain_structs(self):
        """The structs without bools, which blocks cannot contain."""
        def has_bool(type):
            if isinstance(type, tuple):
                return has_bool(type[0])
            if type in self.structs:
                return any(has_bool(t) for _, t in self.structs[type])
            return type in SHAPE and SHAPE[type][0] == BOOL
        return [s for s in self.structs if not has_bool(s)]

    def members(self, count):
        return [(f'm{i}', self.member_type()) for i in range(count)]

    def members_text(self, members):
        return ''.join(f'{self.type_text(t, n)};\n' for n, t in members)

    def uniform_block(self):
        rules = layout.random_rules(self.rng, True)
        members = self.members(self.rng.randint(1, 5))
        data, _ = layout.contents(self.rng, members, rules, self.structs)
        b, name = self.binding(), self.name('u')
        self.head(f'layout({layout.qualifiers(rules)}, binding = {b}) uniform B{name} {{\n{self.members_text(members)}}} {name};')
        type = INLINE_BLOCK if len(data) <= 256 and self.rng.random() < 0.15 else UNIFORM_BUFFER
        self.program.resources.append(Resource(b, type, data))
        for n, t in members:
            self.declare(f'{name}.{n}', t, False, uniform=True)

    def read_block(self):
        rules = layout.random_rules(self.rng, self.rng.random() < 0.4)
        members = self.members(self.rng.randint(1, 4))
        data, kinds = layout.contents(self.rng, members, rules, self.structs)
        b, name = self.binding(), self.name('r')
        self.head(f'layout({layout.qualifiers(rules)}, binding = {b}) readonly buffer B{name} '
                  f'{{\n{self.members_text(members)}}} {name};')
        self.program.resources.append(Resource(b, STORAGE_BUFFER, data, kinds))
        for n, t in members:
            self.declare(f'{name}.{n}', t, False)

    def input_block(self, index, count):
        """Adds a read-only buffer with different values for each invocation."""
        types = ['int', 'uint'] + [vec(b, self.rng.randint(1, 4)) for b in (INT, UINT, FLOAT, self.rng.choice((INT, FLOAT)))]
        self.own_block(index, count, [(f'm{i}', t) for i, t in enumerate(self.rng.sample(types, len(types)))], 'readonly ')

    def own_block(self, index, count, members=None, access=''):
        """Adds a buffer with a struct for each invocation to read and write."""
        rules = layout.random_rules(self.rng, self.rng.random() < 0.4)
        members = members or self.members(self.rng.randint(1, 4))
        data, kinds = layout.contents(self.rng, members, rules, self.structs, count)
        b, name = self.binding(), self.name('w')
        self.head(f'struct T{name} {{\n{self.members_text(members)}}};')
        self.head(f'layout({layout.qualifiers(rules)}, binding = {b}) {access}buffer B{name} '
                  f'{{ T{name} {name}[]; }};')
        self.program.resources.append(Resource(b, STORAGE_BUFFER, data, kinds))
        for n, t in members:
            self.declare(f'{name}[{index}].{n}', t, not access)

    def push_constants(self):
        members = self.members(self.rng.randint(1, 3))
        data, _ = layout.contents(self.rng, members, False, self.structs)
        if len(data) > 128:
            return
        self.program.push = data
        name = self.name('q')
        self.head(f'layout(push_constant) uniform B{name} {{\n{self.members_text(members)}}} {name};')
        for n, t in members:
            self.declare(f'{name}.{n}', t, False, uniform=True)

    def spec_constants(self):
        rng, used = self.rng, len(self.program.specs)
        for number in range(used, used + rng.randint(1, 3)):
            name, type = f'K{number}', rng.choice(('int', 'uint', 'bool', 'float'))
            default = self.literal(type).render()
            value = self.int_value()
            if type == 'bool':
                value = rng.randrange(2)
            elif type == 'float':
                value = struct.unpack('<I', struct.pack('<f', rng.randint(-128, 128) / 16))[0]
            self.head(f'layout(constant_id = {number}) const {type} {name} = {default};')
            self.declare(name, type, False, uniform=True)
            self.program.specs.append((number, value, 4))

    def global_variables(self):
        for _ in range(self.rng.randint(1, 2)):
            type, name = self.type(), self.name('g')
            self.heads.append(Node('d', f'{self.type_text(type, name)} = %s;', [self.constant(type)]))
            self.declare(name, type, True)

    def constant(self, type):
        """A random expression of literals only."""
        left, self.nodes_left = self.nodes_left, -1000
        reads, self.reads = self.reads, {}
        node = self.fitting(type, 0)
        self.nodes_left, self.reads = left, reads
        return node

    def constant_array(self):
        type, name = (self.rng.choice(('int', 'uint', 'float', 'ivec2', 'vec4')), self.rng.choice((3, 4, 7, 8))), self.name('c')
        self.heads.append(Node('d', f'const {self.type_text(type, name)} = %s;', [self.constant(type)]))
        self.constants.add(name)
        self.declare(name, type, False)

    def context(self):
        rng = self.rng
        for _ in range(rng.choice((0, 0, 1, 2))):
            self.heads.append(self.make_struct())
        while rng.random() < 0.25:
            textures.add_texture(self)
        if rng.random() < 0.12 and self.stage != VERTEX:
            textures.add_subgroups(self)
        if rng.random() < 0.12:
            integers64.add_int64(self)
        if rng.random() < 0.12:
            narrow.add_narrow(self)
        self.wide_context()
        if rng.random() < 0.6:
            self.uniform_block()
        if rng.random() < 0.2:
            self.uniform_block()
        if rng.random() < 0.3:
            self.read_block()
        if rng.random() < 0.3 and not self.program.push:
            self.push_constants()
        if rng.random() < 0.25:
            self.spec_constants()
        if rng.random() < 0.25:
            self.constant_array()
        if rng.random() < 0.3:
            tables.add_tables(self)
        if rng.random() < 0.4:
            self.global_variables()

    def wide_context(self):
        """Types and memory beyond Vulkan 1.1's core."""
        rng = self.rng
        if rng.random() < 0.12:
            doubles.add_doubles(self)
        if rng.random() < 0.12:
            widths.add_conversions(self)
        if rng.random() < 0.16:
            self.extensions += widths.EXTENSIONS
            widths.add_locals(self)
        if rng.random() < 0.15:
            self.extensions += widths.EXTENSIONS
            for _ in range(rng.choice((1, 1, 2))):
                widths.add_uniform(self)
            if rng.random() < 0.4:
                widths.add_spec_constants(self)
        if rng.random() < 0.15:
            otherwise.add_otherwise(self)
        if rng.random() < 0.1:
            otherwise.add_pointers(self)
        if rng.random() < 0.08:
            descriptors.add_array(self)
        if rng.random() < 0.05:
            descriptors.add_null(self)
        if rng.random() < 0.05:
            descriptors.add_outside(self)
        if rng.random() < 0.04:
            descriptors.add_outside_texels(self, self.can_store)
        if rng.random() < 0.08:
            descriptors.add_addresses(self)
        if rng.random() < (0.06 if self.stage == COMPUTE else 0.1):
            subgroups.add_alone(self)

    def own_memory(self, place, count):
        """Memory that each invocation writes its own part of, or whose order of writes does not matter."""
        makers = [lambda: widths.add_own(self, place, count), lambda: atomics.add_all64(self),
                  lambda: atomics.add_own64(self, place, count), lambda: atomics.add_all_floats(self),
                  lambda: atomics.add_own_floats(self, place, count), lambda: otherwise.add_stores(self, place, count),
                  lambda: descriptors.add_outside_stores(self, place, count),
                  lambda: descriptors.add_addresses(self, place, count), lambda: atomics.add_image64(self, place, count)]
        self.extensions += widths.EXTENSIONS
        for make in self.rng.sample(makers, self.rng.choice((1, 1, 2))):
            make()

    def make_functions(self):
        return [self.function() for _ in range(self.rng.choice((0, 0, 1, 1, 2, 3)))]

    def fit_functions(self):
        for type in sorted(self.helpers):
            columns, rows = MATRIX[type]
            v, iv = vec(FLOAT, rows), vec(INT, rows)
            yield Node('d', f'{type} fit_{type}({type} m) {{ for (int c = 0; c < {columns}; c++) '
                            f'm[c] = {v}({iv}(m[c] * 4.0) & 63) * 0.25 - 8.0; return m; }}')

    def locals(self):
        """The variables in main's own scope: (text, type) of each part that is not an aggregate."""
        out = []
        for name, type in self.main_locals:
            out += self.leaves(name, type)
        return out

    def leaves(self, text, type):
        if isinstance(type, tuple):
            return [leaf for i in range(type[1]) for leaf in self.leaves(f'{text}[{i}]', type[0])]
        if type in MATRIX:
            columns, rows = MATRIX[type]
            return [(f'{text}[{c}]', vec(FLOAT, rows)) for c in range(columns)]
        if type in self.structs:
            return [leaf for n, t in self.structs[type] for leaf in self.leaves(f'{text}.{n}', t)]
        return [(text, type)]

    def main_body(self, count):
        """Statements of main. The variables that it declares are written to the outputs."""
        self.main_locals = []
        return [self.declaration(1) for _ in range(self.rng.randint(2, 5))] + self.uses() + [self.statement() for _ in range(count)]

    def add_atomics(self):
        """Adds a buffer that all invocations change by operations whose order does not matter."""
        b, name = self.binding(), self.name('a')
        ops = [self.rng.choice(('Add', 'Or', 'Xor', 'Max', 'Min', 'And')) for _ in range(4)]
        self.head(f'layout(std430, binding = {b}) buffer B{name} {{ uint {name}[4]; }};')
        data = struct.pack('<4I', *[self.rng.getrandbits(32) if op != 'Or' else 0 for op in ops])
        self.program.resources.append(Resource(b, STORAGE_BUFFER, data, [UINT]))

        def unit():
            i = self.rng.randrange(4)
            return Node('s', f'atomic{ops[i]}({name}[{i}], %s);', [self.expression('uint', 3)])
        self.units.append(unit)

    def words_of(self, leaves):
        """Yields (text of a uint, kind) for each component of the values."""
        for text, type in leaves:
            base, n = SHAPE[type]
            for c in ([''] if n == 1 else ['.' + x for x in 'xyzw'[:n]]):
                value = text + c
                if base == FLOAT:
                    yield f'floatBitsToUint({value})', FLOAT
                else:
                    yield (value if base == UINT else f'uint({value})'), UINT


# The only stores of a program may be of any kind: @ is the element, which holds 0, # the word.
STORES = ['atomicExchange(o[@], #);', 'atomicAdd(o[@], #);', 'atomicOr(o[@], #);', 'atomicXor(o[@], #);', 'atomicMax(o[@], #);',
          'atomicCompSwap(o[@], 0u, #);']


class ComputeMaker(Maker):
    def take_shared(self, size_B):
        """Whether that much workgroup memory is left of what every device has."""
        if size_B > self.shared_left_B:
            return False
        self.shared_left_B -= size_B
        return True

    def shared_exchange(self):
        """Each invocation writes its own element of a shared array, all wait, each reads another's element, and all
        wait again before the next write."""
        rng = self.rng
        base = rng.choice((INT, UINT, FLOAT))
        type = vec(base, rng.choice((1, 1, 2, 3, 4)))
        array = self.shared.get(type)
        if not array:
            if not self.take_shared(16 * self.size if SHAPE[type][1] > 2 else 8 * self.size):
                return self.assignment()
            array = self.shared[type] = self.name('sh')
            self.head(f'shared {type} {array}[{self.size}];')
        name = self.name()
        kids = [self.fitting(type, 3), self.expression('uint', 2)]
        self.declare(name, type, True)
        if self.depth == 0:
            self.main_locals.append((name, type))
        return Node('s', f'{array}[gl_LocalInvocationIndex] = %s;\nbarrier();\n'
                         f'{type} {name} = {array}[%s %% {self.size}u];\nbarrier();', kids)

    def shared_reduction(self):
        rng = self.rng
        if not self.take_shared(16):
            return self.assignment()
        op, start = rng.choice((('Add', 0), ('Or', 0), ('Xor', 5), ('Max', 0), ('Min', 0xffffffff), ('And', 0xffffffff)))
        name, cell = self.name(), self.name('sa')
        self.head(f'shared uint {cell};')
        kids = [self.expression('uint', 3)]
        if rng.random() < 0.4:
            kids.insert(0, self.expression('bool', 2))
            update = f'if (%s) atomic{op}({cell}, %s);'
        else:
            update = f'atomic{op}({cell}, %s);'
        self.declare(name, 'uint', True)
        if self.depth == 0:
            self.main_locals.append((name, 'uint'))
        return Node('s', f'if (gl_LocalInvocationIndex == 0u) {cell} = {start}u;\nbarrier();\n{update}\nbarrier();\n'
                         f'uint {name} = {cell};\nbarrier();', kids)

    def add_own_atomics(self):
        """Adds atomics whose result is used; each invocation has its own element."""
        b, name = self.binding(), self.name('ao')
        self.head(f'layout(std430, binding = {b}) buffer B{name} {{ int {name}[]; }};')
        data = struct.pack(f'<{self.count}i', *[self.rng.randint(-100, 100) for _ in range(self.count)])
        self.program.resources.append(Resource(b, STORAGE_BUFFER, data, [INT]))

        def unit():
            target = self.reference('int', [])
            op = self.rng.choice(('Add', 'Or', 'Xor', 'Max', 'Min', 'And', 'Exchange', 'CompSwap'))
            kids = [self.expression('int', 3)] * 1
            if op == 'CompSwap':
                kids.append(self.expression('int', 3))
            return Node('s', f'%s = atomic{op}({name}[gid], {", ".join(["%s"] * len(kids))});', [target, *kids])
        self.units.append(unit)

    def results(self, out):
        rng = self.rng
        words = list(self.words_of(self.locals()))
        rng.shuffle(words)
        words = words[:20]
        store = rng.choice(STORES) if rng.random() < 0.15 else 'o[@] = #;'

        def stored(number, text):
            return store.replace('@', f'gid * %d + {number}').replace('#', text)
        results = [(Node('s', stored(i, text)), kind) for i, (text, kind) in enumerate(words)]
        for _ in range(rng.choice((0, 0, 0, 1, 2))):
            node = self.inexact(rng.randint(0, 2))
            results.append((Node('s', stored(len(results), 'floatBitsToUint(%%s)'), [node]),
                            2 * node.bound.err + 1e-30))
        for node, _ in results:
            node.text = node.text % len(results)
        out.kinds = [k for _, k in results]
        out.data = bytes(4 * len(results) * self.count)
        return [n for n, _ in results]

    def shared_context(self):
        """Workgroup memory beyond Vulkan 1.1's core, and subgroups. Returns main's first statements."""
        rng = self.rng
        if rng.random() < 0.08:  # no other workgroup memory beside it
            widths.add_shared_block(self)
            return []
        if rng.random() < 0.5:
            self.uniform_units += [self.shared_exchange, self.shared_exchange, self.shared_reduction]
        for make in (widths.add_shared, widths.add_shared, widths.add_zeroed, atomics.add_shared64, atomics.add_shared_floats):
            if rng.random() < 0.08:
                self.extensions += widths.EXTENSIONS
                make(self)
        if rng.random() < 0.25:
            subgroups.add_exchange(self)
        if rng.random() < 0.06:
            return [Node('s', otherwise.add_shared_pointers(self), is_fixed=True)]
        return []

    def make(self):
        rng, program = self.rng, self.program
        self.shared = {}
        size = rng.choice(((16, 1, 1), (32, 1, 1), (8, 4, 1), (4, 2, 4), (20, 1, 1), (64, 1, 1), (1, 16, 1), (5, 3, 1)) * 3 +
                          ((128, 1, 1), (32, 8, 1), (9, 9, 9), (1024, 1, 1), (16, 16, 4)))
        self.size = size[0] * size[1] * size[2]
        self.shared_left_B = 16000
        groups = rng.choice(((1, 1, 1), (2, 1, 1), (1, 2, 1), (3, 1, 1) if self.size <= 32 else (1, 1, 1)))
        program.groups = groups
        self.count = self.size * groups[0] * groups[1] * groups[2]
        self.head('#version 450', True)
        self.head(f'layout(local_size_x = {size[0]}, local_size_y = {size[1]}, local_size_z = {size[2]}) in;', True)
        self.head('uint gid;')
        out_binding = self.binding()
        out = Resource(out_binding, STORAGE_BUFFER, b'', [])
        program.resources.append(out)
        self.declare('gl_GlobalInvocationID', 'uvec3', False)
        self.declare('gl_LocalInvocationID', 'uvec3', False)
        self.declare('gl_LocalInvocationIndex', 'uint', False)
        self.declare('gl_WorkGroupID', 'uvec3', False)
        self.declare('gl_NumWorkGroups', 'uvec3', False)
        self.declare('gid', 'uint', False)
        self.context()
        self.input_block('gid', self.count)
        if rng.random() < 0.4:
            self.own_block('gid', self.count)
        if rng.random() < 0.3:
            self.add_atomics()
        if rng.random() < 0.2:
            self.add_own_atomics()
        if rng.random() < 0.2:
            textures.add_image(self, 'ivec2(int(gid), 0)', self.count, 1)
        if rng.random() < 0.3:
            self.own_memory('gid', self.count)
        first = self.shared_context()
        functions = self.make_functions()
        self.is_uniform = True
        kids = first + self.body(lambda: self.main_body(rng.randint(5, 14)) + self.results(out))
        kids.insert(0, Node('s', f'gid = (gl_WorkGroupID.z * gl_NumWorkGroups.y + gl_WorkGroupID.y) * gl_NumWorkGroups.x * '
                                 f'{self.size}u + gl_WorkGroupID.x * {self.size}u + gl_LocalInvocationIndex;', is_fixed=True))
        self.head(f'layout(std430, binding = {out_binding}) buffer Out {{ uint o[]; }};')
        self.finish(functions, kids)


class VertexMaker(Maker):
    """Generates the vertex shader. Its results become varyings, which the plan lays out."""

    def make(self, plan):
        rng = self.rng
        self.head('#version 450', True)
        self.head('layout(location = 0) in vec2 position;', True)
        self.declare('position', 'vec2', False)
        self.declare('gl_VertexIndex', 'int', False)
        for a in plan.attributes:
            self.interface(a, 'in')
            self.declare(a.value(), a.type, False)
        for v in plan.varyings:
            self.interface(v, 'out')
        self.context()
        functions = self.make_functions()

        def make():
            kids = [self.declaration(1) for _ in range(rng.randint(1, 4))] + self.uses()
            kids += [self.statement() for _ in range(rng.randint(2, 9))]
            values = self.locals()
            rng.shuffle(values)
            for v in plan.varyings:
                if v.planes:
                    parts = [f'position.x * {4 * a}.0 + position.y * {4 * b}.0 + {c}' for a, b, c in v.planes]
                    kids.append(Node('s', f'{v.name} = {v.stored(v.type + "(" + ", ".join(parts) + ")")};', is_fixed=True))
                    continue
                same = [text for text, type in values if type == v.type]
                value = Node('e', same[0], type=v.type, bound=STORED if SHAPE[v.type][0] == FLOAT else None) if same \
                    else self.fitting(v.type, 4)
                kids.append(Node('s', f'{v.name} = {v.stored("%s")};', [value]))
                if same:
                    values = [x for x in values if x[0] != same[0]]
            return kids
        kids = self.body(make)
        w = rng.choice(('1.0', '1.0', '2.0')) if plan.mode == 'points' else '1.0'
        place = [Node('s', f'gl_Position = vec4(position * {w}, {rng.choice(("0.0", "0.25", "0.5"))}, {w});', is_fixed=True),
                 Node('s', 'gl_PointSize = 1.0;', is_fixed=True)]
        kids = place + kids if rng.random() < 0.5 else kids + place
        self.finish(functions, kids)


class Varying:
    """A varying or attribute. planes: for a smooth varying, the increments of each component along x and y, and its value
    in the middle. width: the type of the interface if it is not one of 32 bits. The reference has 32 bits there."""

    def __init__(self, location, name, type, qualifier, planes, width=None):
        self.location, self.name, self.type, self.qualifier, self.planes = location, name, type, qualifier, planes
        self.width = widths.text_of(width, SHAPE[type][1]) if width else None
        self.narrow, self.is_long = width, bool(width) and width.endswith('int64_t')

    def declaration(self, direction):
        head = f'layout(location = {self.location}) {self.qualifier} {direction}'
        if not self.width:
            return f'{head} {self.type} {self.name};'
        put, get = f'{self.width}(x)', f'{self.type}({self.name})'
        if self.is_long:
            put, get = f'({put} << 32 | {self.width}(77))', f'{self.type}({self.name} >> 32)'
        plain = f'{self.type}(x)' if self.is_long or direction == 'in' else f'{self.type}({self.width}(x))'
        return (f'#ifdef PLAIN\n{head} {self.type} {self.name};\n#define PUT_{self.name}(x) {plain}\n#define GET_{self.name} {self.name}\n'
                f'#else\n{head} {self.width} {self.name};\n#define PUT_{self.name}(x) {put}\n#define GET_{self.name} {get}\n#endif')

    def stored(self, text):
        return f'PUT_{self.name}({text})' if self.width else text

    def value(self):
        return f'GET_{self.name}' if self.width else self.name


# weight, VkFormat of a target, bytes per pixel, number of uint words that it takes, expression to write them, GLSL
# type, kinds
TARGETS = [
    (6, 98, 4, 1, 'uvec4(%s, 0u, 0u, 0u)', 'uvec4', [UINT]), (2, 99, 4, 1, 'ivec4(%s)', 'ivec4', [UINT]),
    (2, 101, 8, 2, 'uvec4(%s, %s, 0u, 0u)', 'uvec4', [UINT]), (2, 107, 16, 4, 'uvec4(%s, %s, %s, %s)', 'uvec4', [UINT]),
    (1, 108, 16, 4, 'ivec4(%s, %s, %s, %s)', 'ivec4', [UINT]),
    (4, 37, 4, 1, 'vec4(uvec4(%s) >> uvec4(0u, 8u, 16u, 24u) & 255u) / 255.0', 'vec4', [UINT]),
    (2, 44, 4, 1, 'vec4(uvec4(%s) >> uvec4(0u, 8u, 16u, 24u) & 255u) / 255.0', 'vec4', [UINT]),
    (1, 41, 4, 1, '(uvec4(%s) >> uvec4(0u, 8u, 16u, 24u) & 255u)', 'uvec4', [UINT]),
    (1, 42, 4, 1, 'ivec4(uvec4(%s) >> uvec4(0u, 8u, 16u, 24u) & 127u)', 'ivec4', [UINT]),
    (1, 81, 4, 1, 'uvec4(uvec4(%s) >> uvec4(0u, 16u, 0u, 0u) & 65535u)', 'uvec4', [UINT]),
    (1, 95, 8, 2, 'uvec4(uvec2(%s, %s).xxyy >> uvec4(0u, 16u, 0u, 16u) & 65535u)', 'uvec4', [UINT]),
    (1, 97, 8, 2, 'vec4(uvec2(%s, %s).xxyy >> uvec4(0u, 16u, 0u, 16u) & 1023u)', 'vec4', [UINT]),
]


class FragmentMaker(Maker):
    def fold(self, count):
        """Folds all variables of main into `count` words."""
        rng = self.rng
        words = [text for text, _ in self.words_of(self.locals())]
        rng.shuffle(words)
        kids = [Node('s', f'uint h{i} = {rng.getrandbits(16)}u;', is_fixed=True) for i in range(count)]
        for i, text in enumerate(words[:24]):
            # Ignore the sign of floats, because that of zeros is undefined.
            text = f'({text} << 1)' if text.startswith('float') else text
            kids.append(Node('s', f'h{i % count} = h{i % count} * 31u + {text};'))
        return kids

    def discard(self):
        return Node('s', f'if (%s) {self.rng.choice(self.discards)};', [self.expression('bool', 3)])

    def flat_derivative(self, plan):
        """The derivative of a plane, which is the same everywhere."""
        smooth = [v for v in plan.varyings if v.planes]
        v = self.rng.choice(smooth)
        n = SHAPE[v.type][1]
        name = self.name()
        function = self.rng.choice(('dFdx', 'dFdy', 'dFdxFine', 'dFdyCoarse', 'fwidth'))
        self.declare(name, vec(INT, n), True)
        self.main_locals.append((name, vec(INT, n)))
        return Node('s', f'{vec(INT, n)} {name} = {vec(INT, n)}(floor({function}({v.value()}) + 0.5));')

    def make(self, plan):
        rng, program = self.rng, self.program
        self.head('#version 450', True)
        for v in plan.varyings:
            self.interface(v, 'in')
            if not v.planes:
                self.declare(v.value(), v.type, False)
            else:
                n = SHAPE[v.type][1]
                self.add_rule(v.type, (20, f'floor({v.value()})', [], lambda *bounds: Bound(-32.0, 32.0, 0)))
                self.add_rule(vec(INT, n), (10, f'{vec(INT, n)}(floor({v.value()}))', []))
        self.add_rule('ivec2', (30, 'ivec2(gl_FragCoord.xy)', []))
        self.add_rule('int', (15, 'int(gl_FragCoord.x)', []))
        self.add_rule('int', (10, 'int(gl_FragCoord.y)', []))
        self.add_rule('vec2', (10, 'gl_FragCoord.xy', [], lambda: Bound(0.0, 8.0, 1)))
        self.add_rule('bool', (1, 'gl_FrontFacing', []))
        self.context()
        pixel = '(int(gl_FragCoord.y) * 8 + int(gl_FragCoord.x))'
        if rng.random() < 0.06:
            self.own_block(pixel, 64)
        if rng.random() < 0.04:
            self.add_atomics()
        if rng.random() < 0.04:
            textures.add_image(self, 'ivec2(gl_FragCoord.xy)', 8, 8)
        if rng.random() < 0.06:
            self.own_memory(f'uint{pixel}', 64)
        functions = self.make_functions()
        if rng.random() < 0.25:
            self.units.append(self.discard)
            self.discards = ['discard']
            if rng.random() < 0.6:
                self.extensions += ['GL_EXT_demote_to_helper_invocation', 'GL_EXT_terminate_invocation']
                self.discards += ['demote', 'terminateInvocation']
                self.add_rule('bool', (2, 'helperInvocationEXT()', []))
        target = rng.choices(TARGETS, [t[0] for t in TARGETS])[0]
        _, format, pixel_B, words, text, type, kinds = target
        targets = [(format, pixel_B, kinds)]
        inexact = rng.random() < 0.12

        def make():
            kids = []
            if any(v.planes for v in plan.varyings) and plan.mode != 'points' and rng.random() < 0.4:
                kids.append(self.flat_derivative(plan))
            kids += [self.declaration(2) for _ in range(rng.randint(2, 4))] + self.uses()
            kids += [self.statement() for _ in range(rng.randint(2, 9))]
            if inexact:
                node = self.inexact(rng.randint(0, 2))
                targets[0] = (100, 4, [2 * node.bound.err + 1e-30])
                return kids + [Node('s', 'out0 = vec4(%s);', [node])]
            kids += self.fold(words)
            value = text % tuple(f'h{i}' for i in range(words))
            return kids + [Node('s', f'out0 = {value};', is_fixed=True)]
        kids = self.body(make)
        self.head(f'layout(location = 0) out {"vec4" if inexact else type} out0;', True)
        program.targets = [t[2] for t in targets]
        plan.targets = [t[:2] for t in targets]
        self.finish(functions, kids)


class Plan:
    """What vertex and fragment shader must agree on, and the draw: a target of 8 x 8 pixels that is covered once."""
    mode_topology = {'points': 0, 'strip': 4, 'quads': 3}

    def __init__(self, rng):
        self.rng = rng
        self.mode = rng.choice(('points', 'points', 'strip', 'quads'))
        self.targets = []
        self.attributes = []
        for location in range(1, 1 + rng.choice((1, 2, 2, 3))):
            width = rng.choice(('int16_t', 'uint16_t', 'float16_t')) if rng.random() < 0.06 else None
            base, n = rng.choice((INT, UINT, FLOAT)), rng.randint(1, 4)
            if width:
                base, n = widths.TYPES[width][2], rng.choice((1, 2, 4))
            self.attributes.append(Varying(location, f'at{location}', vec(base, n), '', None, width))
        self.varyings = []
        flat = rng.randint(1, 3)
        width_of = {INT: ('int16_t', 'int16_t', 'int64_t'), UINT: ('uint16_t', 'uint16_t', 'uint64_t'),
                    FLOAT: ('float16_t', 'float16_t', 'double')}
        for i in range(flat + rng.choice((0, 1, 1, 2))):
            if i < flat:
                base, n = rng.choice((INT, UINT, FLOAT)), rng.randint(1, 4)
                width = rng.choice(width_of[base]) if rng.random() < 0.1 else None
                if width in ('int64_t', 'uint64_t', 'double'):
                    n = min(n, 2)  # one location
                self.varyings.append(Varying(0, f'fl{i}', vec(base, n), 'flat', None, width))
            else:
                n = rng.randint(1, 4)
                planes = []
                for _ in range(n):
                    a, b = rng.randint(-2, 2), rng.randint(-1, 1)
                    # At a pixel's center the value is half an integer.
                    planes.append((a, b, rng.randint(-8, 7) + (0.5 if (a + b) % 2 == 0 else 0.0)))
                self.varyings.append(Varying(0, f'sm{i}', vec(FLOAT, n), rng.choice(('smooth', 'smooth', 'noperspective')), planes,
                                             'float16_t' if rng.random() < 0.06 else None))
        rng.shuffle(self.varyings)
        for i, v in enumerate(self.varyings):
            v.location = i

    def positions(self):
        """Vertex positions in eighths of the target, from 0 to 8."""
        if self.mode == 'points':
            places = [(x + 0.5, y + 0.5) for y in range(8) for x in range(8)]
            self.rng.shuffle(places)
            return places
        if self.mode == 'strip':
            return [(0, 0), (0, 8), (8, 0), (8, 8)]
        out = []
        for y in (0, 4):
            for x in (0, 4):
                out += [(x, y), (x + 4, y), (x, y + 4), (x + 4, y), (x, y + 4), (x + 4, y + 4)]
        return out

    def message(self):
        """The draw part of glsl_run's request."""
        rng, places = self.rng, self.positions()
        attributes, stride = [(0, 103, 0)], 8
        for a in self.attributes:
            base, n = SHAPE[a.type]
            number = {INT: 99, UINT: 98, FLOAT: 100}[base] + 3 * (n - 1)
            if a.width:
                number = {INT: 75, UINT: 74, FLOAT: 76}[base] + 7 * (n - 1)
            attributes.append((a.location, number, stride))
            stride += layout.up(2 * n, 4) if a.width else 4 * n
        data = bytearray()
        for x, y in places:
            data += struct.pack('<2f', x / 4 - 1, y / 4 - 1)
            for a in self.attributes:
                base, n = SHAPE[a.type]
                if a.width:
                    data += b''.join(widths.number(rng, a.narrow) for _ in range(n)) + bytes(2 * n % 4)
                else:
                    data += b''.join(layout.random_word(rng, base, False) for _ in range(n))
        out = [struct.pack('<6I', 8, 8, self.mode_topology[self.mode], len(places), 1, len(self.targets))]
        out += [struct.pack('<II', *t) for t in self.targets]
        out += [struct.pack('<I', len(attributes))] + [struct.pack('<3I', *a) for a in attributes]
        return b''.join(out) + struct.pack('<II', stride, len(data)) + bytes(data)


def begin(seed):
    rng = random.Random(seed)
    program = Program(seed)
    program.target = rng.choice((0, 1, 2, 3, 3))
    return rng, program


def end(rng, program):
    """Changes of whole modules."""
    if rng.random() < 0.06:
        otherwise.add_float_controls(program, rng)
    if program.target == 3 and program.draw is None and rng.random() < 0.2:
        program.rewrites.append(['local_size_id'])
        program.has_twin = True
    return program


def draw(seed):
    rng, program = begin(seed)
    plan, bindings = Plan(rng), [0]
    VertexMaker(rng, program, VERTEX, bindings).make(plan)
    FragmentMaker(rng, program, FRAGMENT, bindings).make(plan)
    program.draw = plan.message()
    return end(rng, program)


def compute(seed):
    rng, program = begin(seed)
    ComputeMaker(rng, program, COMPUTE, [0]).make()
    return end(rng, program)


def stages_of(seed, stages='all'):
    """Three of five programs are draws."""
    return 'comp' if stages == 'comp' or stages == 'all' and seed % 5 < 2 else 'vert+frag'


def program(seed, stages='all'):
    return compute(seed) if stages_of(seed, stages) == 'comp' else draw(seed)
