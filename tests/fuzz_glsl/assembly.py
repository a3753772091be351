# SPDX-License-Identifier: MIT
#
# Rewrites modules that glslang made into what GLSL cannot say: dot products of integers, variable pointers, differences of
# pointers, LocalSizeId, float controls, and the instructions that other compilers use for what GLSL says in its own way.
#
# A program defines a function in GLSL and names it in Program.rewrites. The reference runs the GLSL. In the module for the
# driver under test the body of the function is replaced by instructions that compute the same.
import re
import struct
import subprocess

from servers import target_of


class Function:
    """A function whose body is being replaced: its lines, the types of its parameters, their values."""

    def __init__(self, module, first, last):
        self.module, self.first, self.last = module, first, last
        self.lines = []
        self.variables = []
        self.result_type = module.lines[first].split()[3]
        self.parameters = []
        for line in module.lines[first + 1:last]:
            if ' OpFunctionParameter ' in line:
                name, _, _, type = line.split()[:4]
                self.parameters.append((name, type))

    def op(self, text):
        """Adds an instruction with a result; returns its id."""
        name = self.module.new_id()
        self.lines.append(f'{name} = {text}')
        return name

    def do(self, text):
        self.lines.append(text)

    def label(self):
        return self.module.new_id()

    def variable(self, type):
        name = self.module.new_id()
        self.variables.append(f'{name} = OpVariable {self.module.pointer("Function", type)} Function')
        return name

    def values(self):
        """Loads the parameters, which glslang passes by pointers."""
        out = []
        for name, type in self.parameters:
            pointed = self.module.pointed(type)
            out.append(self.op(f'OpLoad {pointed} {name}') if pointed else name)
        return out


class Module:
    def __init__(self, text):
        self.lines = [line.strip() for line in text.split('\n') if line.strip() and not line.startswith(';')]
        self.ids = 0
        self.version = re.search(r'; Version: (\S+)', text).group(1)
        self.names = dict(reversed(re.match(r'OpName (%\d+) "([^"]*)"', line).groups())
                          for line in self.lines if line.startswith('OpName %'))

    def new_id(self):
        self.ids += 1
        return f'%n{self.ids}'

    def opcode(self, line):
        words = line.split()
        return words[2] if len(words) > 2 and words[1] == '=' else words[0]

    def find(self, text):
        """The id of a declaration."""
        for line in self.lines:
            name, equals, rest = line.partition(' = ')
            if equals and rest == text:
                return name
        return None

    def insert_before(self, is_place, line):
        for i, other in enumerate(self.lines):
            if is_place(self.opcode(other)):
                self.lines.insert(i, line)
                return
        self.lines.append(line)

    def declare(self, text):
        """A type, constant or global variable: the one there is, or a new one after all others."""
        found = self.find(text)
        if found:
            return found
        name = self.new_id()
        self.insert_before(lambda op: op == 'OpFunction', f'{name} = {text}')
        return name

    def fresh(self, text):
        """A new type, where the one there is may have decorations."""
        name = self.new_id()
        self.insert_before(lambda op: op == 'OpFunction', f'{name} = {text}')
        return name

    def int(self, bits=32, is_signed=0):
        if bits != 32:
            self.capability(f'Int{bits}')
        return self.declare(f'OpTypeInt {bits} {int(is_signed)}')

    def float(self):
        return self.declare('OpTypeFloat 32')

    def bool(self):
        return self.declare('OpTypeBool')

    def vector(self, type, n):
        return self.declare(f'OpTypeVector {type} {n}')

    def pointer(self, storage, type):
        return self.declare(f'OpTypePointer {storage} {type}')

    def constant(self, type, value):
        return self.declare(f'OpConstant {type} {value}')

    def uint(self, value):
        return self.constant(self.int(), value)

    def pointed(self, pointer):
        for line in self.lines:
            if line.startswith(f'{pointer} = OpTypePointer '):
                return line.split()[-1]
        return None

    def capability(self, name):
        line = f'OpCapability {name}'
        if line not in self.lines:
            self.lines.insert(0, line)

    def extension(self, name):
        line = f'OpExtension "{name}"'
        if line not in self.lines:
            self.insert_before(lambda op: op not in ('OpCapability', 'OpExtension'), line)

    def decorate(self, line):
        if line not in self.lines:
            self.insert_before(lambda op: op.startswith('OpType') or op.startswith('OpConstant') or op == 'OpVariable', line)

    def execution_mode(self, mode):
        entry = next(line for line in self.lines if line.startswith('OpEntryPoint ')).split()[2]
        self.insert_before(lambda op: op in ('OpSource', 'OpString', 'OpName', 'OpSourceExtension', 'OpDecorate'),
                           f'OpExecutionMode {entry} {mode}')

    def member(self, block, index):
        """(variable, type of the member) of a block by its name."""
        struct = self.names.get(block)
        for line in self.lines:
            if struct and re.match(rf'%\d+ = OpTypePointer \S+ {struct}$', line):
                pointer = line.split()[0]
                for other in self.lines:
                    if other.startswith('%') and f' = OpVariable {pointer} ' in other:
                        members = next(x for x in self.lines if x.startswith(f'{struct} = OpTypeStruct ')).split()[3:]
                        return other.split()[0], members[index]
        return None, None

    def replace(self, name, make):
        """Replaces the body of a function, if it is there. make(function) adds instructions and returns the result."""
        found = next((i for n, i in self.names.items() if n.split('(')[0] == name and '(' in n), None)
        first = next((k for k, line in enumerate(self.lines) if line.startswith(f'{found} = OpFunction ')), None)
        if first is None:
            return
        last = self.lines.index('OpFunctionEnd', first)
        head = [line for line in self.lines[first:last] if ' OpFunctionParameter ' in line or ' OpFunction ' in line]
        function = Function(self, first, last)
        label = self.new_id()
        self.lines[first:last] = head + ['@body']
        result = make(function)
        self.drop_names()
        at = self.lines.index('@body')
        ending = [f'OpReturnValue {result}' if result else 'OpReturn']
        self.lines[at:at + 1] = [f'{label} = OpLabel'] + function.variables + function.lines + ending

    def drop_names(self):
        """Removes names and decorations of what is no longer there."""
        defined = {line.split(' ', 1)[0] for line in self.lines if ' = ' in line}
        self.lines = [line for line in self.lines
                      if not re.match(r'Op(Name|Decorate) %', line) or line.split()[1] in defined]

    def text(self):
        return '\n'.join(self.lines) + '\n'


# Dot products of integers. The rewrite's arguments: name of the function, opcode, components and bits of the vectors.

def dot(m, name, opcode, n, bits):
    def make(f):
        m.extension('SPV_KHR_integer_dot_product')
        m.capability('DotProduct')
        values = f.values()
        signs = {'S': (1, 1), 'U': (0, 0)}[opcode[2]] if 'SU' not in opcode else (1, 0)
        if bits == 'packed':
            m.capability('DotProductInput4x8BitPacked')
            operands, last = values[:2], ' PackedVectorFormat4x8Bit'
        else:
            m.capability('DotProductInput4x8Bit' if (n, bits) == (4, 8) else 'DotProductInputAll')
            operands, last = [], ''
            for value, sign in zip(values[:2], signs):
                if bits == 32:
                    operands.append(value)
                else:
                    operands.append(f.op(f'OpUConvert {m.vector(m.int(bits), n)} {value}' if not sign else
                                         f'OpSConvert {m.vector(m.int(bits, 1), n)} {value}'))
        return f.op(f'{opcode} {f.result_type} {" ".join(operands + values[2:])}{last}')
    m.replace(name, make)


# Pointers as values. The block has two arrays of 16 uints.

def element(m, f, block, member, index, mask=15):
    """A pointer to an element; its number is masked as in the GLSL."""
    variable, _ = m.member(block, member)
    u = m.int()
    number = f.op(f'OpBitwiseAnd {u} {index} {m.uint(mask)}') if mask else index
    return f.op(f'OpAccessChain {m.pointer("StorageBuffer", u)} {variable} {m.constant(m.int(32, 1), member)} {number}')


def pointer_select(m, name, block):
    def make(f):
        m.capability('VariablePointersStorageBuffer')
        i, j, c = f.values()
        a, b = element(m, f, block, 0, i), element(m, f, block, 1, j)
        p = f.op(f'OpSelect {m.pointer("StorageBuffer", m.int())} {c} {a} {b}')
        return f.op(f'OpLoad {m.int()} {p}')
    m.replace(name, make)


def pointer_phi(m, name, block):
    """The same with a branch and OpPhi."""
    def make(f):
        m.capability('VariablePointersStorageBuffer')
        i, j, c = f.values()
        yes, no, end = f.label(), f.label(), f.label()
        f.do(f'OpSelectionMerge {end} None')
        f.do(f'OpBranchConditional {c} {yes} {no}')
        f.do(f'{yes} = OpLabel')
        a = element(m, f, block, 0, i)
        f.do(f'OpBranch {end}')
        f.do(f'{no} = OpLabel')
        b = element(m, f, block, 1, j)
        f.do(f'OpBranch {end}')
        f.do(f'{end} = OpLabel')
        p = f.op(f'OpPhi {m.pointer("StorageBuffer", m.int())} {a} {yes} {b} {no}')
        return f.op(f'OpLoad {m.int()} {p}')
    m.replace(name, make)


def pointer_walk(m, name, block):
    """A loop whose pointer moves on by one element each time."""
    def make(f):
        m.capability('VariablePointersStorageBuffer')
        u, pointer = m.int(), m.pointer('StorageBuffer', m.int())
        m.decorate(f'OpDecorate {pointer} ArrayStride 4')
        i, n = f.values()
        p = element(m, f, block, 0, i, 7)
        count = f.op(f'OpBitwiseAnd {u} {n} {m.uint(7)}')
        before, head, test, body, more, end = (f.label() for _ in range(6))
        f.do(f'OpBranch {before}')
        f.do(f'{before} = OpLabel')
        f.do(f'OpBranch {head}')
        f.do(f'{head} = OpLabel')
        q, sum_, k = m.new_id(), m.new_id(), m.new_id()
        q2, sum2, k2 = m.new_id(), m.new_id(), m.new_id()
        f.do(f'{q} = OpPhi {pointer} {p} {before} {q2} {more}')
        f.do(f'{sum_} = OpPhi {u} {m.uint(0)} {before} {sum2} {more}')
        f.do(f'{k} = OpPhi {u} {m.uint(0)} {before} {k2} {more}')
        f.do(f'OpLoopMerge {end} {more} None')
        f.do(f'OpBranch {test}')
        f.do(f'{test} = OpLabel')
        goes_on = f.op(f'OpULessThan {m.bool()} {k} {count}')
        f.do(f'OpBranchConditional {goes_on} {body} {end}')
        f.do(f'{body} = OpLabel')
        x = f.op(f'OpLoad {u} {q}')
        f.do(f'{sum2} = OpIAdd {u} {f.op(f"OpIMul {u} {sum_} {m.uint(3)}")} {x}')
        f.do(f'OpBranch {more}')
        f.do(f'{more} = OpLabel')
        f.do(f'{q2} = OpPtrAccessChain {pointer} {q} {m.uint(1)}')
        f.do(f'{k2} = OpIAdd {u} {k} {m.uint(1)}')
        f.do(f'OpBranch {head}')
        f.do(f'{end} = OpLabel')
        return sum_
    m.replace(name, make)


def pointer_memory(m, name, block):
    """A pointer in a variable of the function, overwritten in a branch."""
    def make(f):
        m.capability('VariablePointers')
        u, pointer = m.int(), m.pointer('StorageBuffer', m.int())
        i, j, c = f.values()
        v = f.variable(pointer)
        f.do(f'OpStore {v} {element(m, f, block, 1, j)}')
        yes, end = f.label(), f.label()
        f.do(f'OpSelectionMerge {end} None')
        f.do(f'OpBranchConditional {c} {yes} {end}')
        f.do(f'{yes} = OpLabel')
        f.do(f'OpStore {v} {element(m, f, block, 0, i)}')
        f.do(f'OpBranch {end}')
        f.do(f'{end} = OpLabel')
        return f.op(f'OpLoad {u} {f.op(f"OpLoad {pointer} {v}")}')
    m.replace(name, make)


def pointer_function(m, name, block):
    """Functions that take and return pointers."""
    def make(f):
        m.capability('VariablePointers')
        u, pointer = m.int(), m.pointer('StorageBuffer', m.int())
        i, j, c = f.values()
        type = m.declare(f'OpTypeFunction {pointer} {m.bool()} {pointer} {pointer}')
        choose, p = m.new_id(), [m.new_id() for _ in range(3)]
        m.lines += [f'{choose} = OpFunction {pointer} None {type}', f'{p[0]} = OpFunctionParameter {m.bool()}',
                    f'{p[1]} = OpFunctionParameter {pointer}', f'{p[2]} = OpFunctionParameter {pointer}',
                    f'{m.new_id()} = OpLabel', f'%{choose[1:]}_r = OpSelect {pointer} {p[0]} {p[1]} {p[2]}',
                    f'OpReturnValue %{choose[1:]}_r', 'OpFunctionEnd']
        called = f.op(f'OpFunctionCall {pointer} {choose} {c} {element(m, f, block, 0, i)} {element(m, f, block, 1, j)}')
        return f.op(f'OpLoad {u} {called}')
    m.replace(name, make)


def pointer_store(m, name, block):
    """Stores through a pointer: void f(uint place, uint value, bool which)."""
    def make(f):
        m.capability('VariablePointersStorageBuffer')
        place, value, c = f.values()
        a, b = element(m, f, block, 0, place, 0), element(m, f, block, 1, place, 0)
        p = f.op(f'OpSelect {m.pointer("StorageBuffer", m.int())} {c} {a} {b}')
        f.do(f'OpStore {p} {value}')
    m.replace(name, make)


def pointer_compare(m, name, block, opcode):
    """OpPtrEqual, OpPtrNotEqual or OpPtrDiff of elements of one array."""
    def make(f):
        m.capability('VariablePointers')
        m.decorate(f'OpDecorate {m.pointer("StorageBuffer", m.int())} ArrayStride 4')
        i, j = f.values()
        a, b = element(m, f, block, 0, i), element(m, f, block, 0, j)
        return f.op(f'{opcode} {f.result_type} {a} {b}')
    m.replace(name, make)


def shared_select(m, name, first, second):
    """A pointer into one of two arrays in workgroup memory."""
    def make(f):
        m.capability('VariablePointers')
        u = m.int()
        i, j, c = f.values()
        pointers = []
        for array, index in ((first, i), (second, j)):
            number = f.op(f'OpBitwiseAnd {u} {index} {m.uint(15)}')
            pointers.append(f.op(f'OpAccessChain {m.pointer("Workgroup", u)} {m.names[array]} {number}'))
        p = f.op(f'OpSelect {m.pointer("Workgroup", u)} {c} {pointers[0]} {pointers[1]}')
        return f.op(f'OpLoad {u} {p}')
    m.replace(name, make)


# What GLSL says otherwise.

def remainder(m, name):
    def make(f):
        a, b = f.values()
        i = m.int(32, 1)
        odd = f.op(f'OpBitwiseOr {i} {f.op(f"OpBitwiseAnd {i} {b} {m.constant(i, 255)}")} {m.constant(i, 1)}')
        return f.op(f'OpSRem {i} {a} {odd}')
    m.replace(name, make)


def float_remainder(m, name):
    def make(f):
        a, = f.values()
        return f.op(f'OpFRem {m.float()} {a} {m.constant(m.float(), 8)}')
    m.replace(name, make)


def plain_op(m, name, opcode):
    """One instruction whose operands are the parameters."""
    def make(f):
        return f.op(f'{opcode} {f.result_type} {" ".join(f.values())}')
    m.replace(name, make)


def extended(m, name, operation):
    def make(f):
        library = next(line.split()[0] for line in m.lines if ' = OpExtInstImport "GLSL.std.450"' in line)
        return f.op(f'OpExtInst {f.result_type} {library} {operation} {" ".join(f.values())}')
    m.replace(name, make)


def nclamp(m, name):
    def make(f):
        library = next(line.split()[0] for line in m.lines if ' = OpExtInstImport "GLSL.std.450"' in line)
        low, high = m.constant(m.float(), -32), m.constant(m.float(), 32)
        return f.op(f'OpExtInst {f.result_type} {library} NClamp {f.values()[0]} {low} {high}')
    m.replace(name, make)


def bits_of(m, name, type):
    """Bits of words as a number of another width, an operation on it, and back."""
    def make(f):
        x, u = f.values()[0], m.int()
        if type == 'int64':
            y = f.op(f'OpBitcast {m.int(64)} {x}')
            y = f.op(f'OpNot {m.int(64)} {f.op(f"OpNot {m.int(64)} {y}")}')
        elif type == 'double':
            m.capability('Float64')
            word = f.op(f'OpCompositeExtract {u} {x} 1')
            word = f.op(f'OpBitwiseOr {u} {f.op(f"OpBitwiseAnd {u} {word} {m.uint(0xfffff)}")} {m.uint(0x3ff00000)}')
            x = f.op(f'OpCompositeInsert {f.result_type} {word} {x} 1')
            wide = m.declare('OpTypeFloat 64')
            y = f.op(f'OpBitcast {wide} {x}')
            y = f.op(f'OpFNegate {wide} {f.op(f"OpFNegate {wide} {y}")}')
        else:
            v = m.vector(m.int(int(type[3:])), 32 // int(type[3:]))
            y = f.op(f'OpBitcast {v} {x}')
            y = f.op(f'OpNot {v} {f.op(f"OpNot {v} {y}")}')
        return f.op(f'OpBitcast {f.result_type} {y}')
    m.replace(name, make)


def insert_dynamic(m, name):
    def make(f):
        v, x, i = f.values()
        number = f.op(f'OpBitwiseAnd {m.int()} {i} {m.uint(3)}')
        return f.op(f'OpVectorInsertDynamic {f.result_type} {v} {x} {number}')
    m.replace(name, make)


def copy_memory(m, name):
    """Copies an array by OpCopyMemory, starting from a null constant. uint f(uint, uint, uint)."""
    def make(f):
        u = m.int()
        x, y, i = f.values()
        array = m.fresh(f'OpTypeArray {u} {m.uint(4)}')
        one, two = f.variable(array), f.variable(array)
        p = m.pointer('Function', u)
        f.do(f'OpStore {one} {m.declare(f"OpConstantNull {array}")}')
        f.do(f'OpStore {f.op(f"OpInBoundsAccessChain {p} {one} {m.uint(1)}")} {x}')
        f.do(f'OpStore {f.op(f"OpInBoundsAccessChain {p} {one} {m.uint(2)}")} {y}')
        f.do(f'OpCopyMemory {two} {one}')
        number = f.op(f'OpBitwiseAnd {u} {i} {m.uint(3)}')
        return f.op(f'OpLoad {u} {f.op(f"OpInBoundsAccessChain {p} {two} {number}")}')
    m.replace(name, make)


def composite(m, name):
    """A struct by value, as a parameter and a result, selected as a whole (SPIR-V 1.4) or member by member.
    uint f(uint, uint, bool)."""
    def make(f):
        u = m.int()
        x, y, c = f.values()
        array = m.fresh(f'OpTypeArray {u} {m.uint(2)}')
        struct = m.fresh(f'OpTypeStruct {u} {array}')
        type = m.declare(f'OpTypeFunction {struct} {struct}')
        swap, p, q, r = (m.new_id() for _ in range(4))
        m.lines += [f'{swap} = OpFunction {struct} None {type}', f'{p} = OpFunctionParameter {struct}', f'{m.new_id()} = OpLabel',
                    f'{q} = OpCompositeExtract {u} {p} 1 0', f'{r} = OpCompositeInsert {struct} {q} {p} 0',
                    f'OpReturnValue {r}', 'OpFunctionEnd']
        undefined = f.op(f'OpUndef {struct}')
        one = f.op(f'OpCompositeInsert {struct} {x} {undefined} 0')
        one = f.op(f'OpCompositeInsert {struct} {y} {one} 1 0')
        one = f.op(f'OpCompositeInsert {struct} {m.uint(5)} {one} 1 1')
        two = f.op(f'OpFunctionCall {struct} {swap} {one}')
        if m.version >= '1.4':
            chosen = f.op(f'OpSelect {struct} {c} {one} {two}')
            chosen = f.op(f'OpCopyObject {struct} {chosen}')
            return f.op(f'OpCompositeExtract {u} {chosen} 0')
        return f.op(f'OpSelect {u} {c} {f.op(f"OpCompositeExtract {u} {one} 0")} {f.op(f"OpCompositeExtract {u} {two} 0")}')
    m.replace(name, make)


def copy_logical(m, name):
    """Between two structs that differ in their decorations only. uint f(uint, uint)."""
    def make(f):
        u = m.int()
        x, y = f.values()
        array = m.fresh(f'OpTypeArray {u} {m.uint(3)}')
        other_array = m.fresh(f'OpTypeArray {u} {m.uint(3)}')
        m.decorate(f'OpDecorate {other_array} ArrayStride 4')
        structs = [m.fresh(f'OpTypeStruct {u} {a}') for a in (array, other_array)]
        one = f.op(f'OpCompositeConstruct {structs[0]} {x} {f.op(f"OpCompositeConstruct {array} {y} {x} {y}")}')
        two = f.op(f'OpCopyLogical {structs[1]} {one}')
        three = f.op(f'OpCopyLogical {structs[0]} {two}')
        return f.op(f'OpISub {u} {f.op(f"OpCompositeExtract {u} {three} 0")} {f.op(f"OpCompositeExtract {u} {three} 1 2")}')
    m.replace(name, make)


def switch_of(m, name, bits):
    """A switch on a number of 8, 16 or 64 bits. uint f(uint)."""
    def make(f):
        u, type = m.int(), m.int(bits)
        x, = f.values()
        y = f.op(f'OpUConvert {type} {x}')
        y = f.op(f'OpBitwiseAnd {type} {y} {m.constant(type, 7)}')
        cases, default, end = [f.label() for _ in range(3)], f.label(), f.label()
        f.do(f'OpSelectionMerge {end} None')
        f.do(f'OpSwitch {y} {default} 0 {cases[0]} 3 {cases[1]} 6 {cases[2]}')
        places = []
        for label, value in zip(cases + [default], (11, 22, 33, 44)):
            f.do(f'{label} = OpLabel')
            f.do(f'OpBranch {end}')
            places.append(f'{m.uint(value)} {label}')
        f.do(f'{end} = OpLabel')
        return f.op(f'OpPhi {u} {" ".join(places)}')
    m.replace(name, make)


def float_controls(m, modes):
    """Execution modes that change no result of a program whose floats are exact."""
    for mode in modes:
        if mode.endswith('64') and not m.find('OpTypeFloat 64'):
            continue
        m.capability(mode.split()[0])
        m.execution_mode(mode)
    m.extension('SPV_KHR_float_controls')


def local_size_id(m):
    """The size of workgroups by constants' ids."""
    for i, line in enumerate(m.lines):
        found = re.match(r'OpExecutionMode (%\d+) LocalSize (\d+) (\d+) (\d+)', line)
        if found:
            sizes = ' '.join(m.uint(n) for n in found.groups()[1:])
            m.lines[m.lines.index(line)] = f'OpExecutionModeId {found.group(1)} LocalSizeId {sizes}'
            return


KINDS = {f.__name__: f for f in (
    nclamp, bits_of, dot, pointer_select, pointer_phi, pointer_walk, pointer_memory, pointer_function, pointer_store, pointer_compare,
    shared_select, remainder, float_remainder, plain_op, extended, insert_dynamic, copy_memory, composite, copy_logical,
    switch_of, float_controls, local_size_id)}


def rewrite(compiler, module, rewrites):
    """The module with all changes that apply to it. A rewrite is a name from KINDS with its arguments. compiler: a Compiler."""
    m = Module(compiler.disassemble(module))
    for kind, *arguments in rewrites:
        KINDS[kind](m, *arguments)
    return compiler.assemble(m.text(), target_of(module))


OP_SPEC_CONSTANT_OP, OP_SELECT = 52, 169


def has_constant_selects(module):
    """Whether a module has an OpSpecConstantOp Select. lavapipe 22.3 and spirv-opt 2023.1 compute those of vectors as if the
    one bool, which SPIR-V 1.4 allows, were a vector."""
    words, at = struct.unpack(f'<{len(module) // 4}I', module), 5
    while at < len(words):
        if words[at] & 0xffff == OP_SPEC_CONSTANT_OP and words[at + 3] == OP_SELECT:
            return True
        at += words[at] >> 16
    return False


def without_constant_selects(compiler, module):
    """The module with the chosen operand in place of each OpSpecConstantOp Select whose condition is a plain constant."""
    m = Module(compiler.disassemble(module))
    chosen = {}  # result -> operand
    for line in m.lines:
        found = re.match(r'(%\d+) = OpSpecConstantOp %\d+ Select (%\d+) (%\d+) (%\d+)$', line)
        if found:
            result, condition, first, second = found.groups()
            value = next((other for other in m.lines if re.match(rf'{condition} = OpConstant(True|False) ', other)), None)
            if value:
                operand = first if 'OpConstantTrue' in value else second
                chosen[result] = chosen.get(operand, operand)
    m.lines = [line for line in m.lines if line.split(' ', 1)[0] not in chosen]
    m.drop_names()
    m.lines = [re.sub(r'%\d+', lambda id: chosen.get(id.group(), id.group()), line) for line in m.lines]
    return compiler.assemble(m.text(), target_of(module))


def validate(module):
    """What spirv-val says of a module; empty if it is valid."""
    done = subprocess.run(['spirv-val', '--scalar-block-layout', '--target-env', 'vulkan1.3', '-'], input=module,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
    return done.stdout.decode(errors='replace') if done.returncode else ''
