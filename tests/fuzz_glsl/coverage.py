#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# Counts what the fuzzer's programs contain: a fixed number of seeds must have every capability, instruction, kind of memory
# and descriptor of the lists below, in every stage where that is a question. Runs nothing. Prints TAP.
#
#   coverage.py TOOLS FOLDER_OF_THE_GRAMMAR [COUNT]
import json
import os
import shutil
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import assembly
import generate
from servers import Compiler

STAGES = {1: 'vertex', 16: 'fragment', 32: 'compute'}
STAGE_NUMBERS = {1: 0, 16: 1, 32: 2}

CAPABILITIES = '''
Int8 Int16 Int64 Float16 Float64 Int64Atomics Int64ImageEXT AtomicFloat32AddEXT AtomicFloat32MinMaxEXT
StorageBuffer8BitAccess UniformAndStorageBuffer8BitAccess StoragePushConstant8
StorageBuffer16BitAccess UniformAndStorageBuffer16BitAccess StoragePushConstant16 StorageInputOutput16
DotProduct DotProductInput4x8BitPacked DotProductInput4x8Bit DotProductInputAll
VariablePointers VariablePointersStorageBuffer PhysicalStorageBufferAddresses
WorkgroupMemoryExplicitLayoutKHR WorkgroupMemoryExplicitLayout8BitAccessKHR WorkgroupMemoryExplicitLayout16BitAccessKHR
DemoteToHelperInvocation RuntimeDescriptorArray ShaderNonUniform
UniformBufferArrayNonUniformIndexing StorageBufferArrayNonUniformIndexing SampledImageArrayNonUniformIndexing
GroupNonUniform GroupNonUniformVote GroupNonUniformArithmetic GroupNonUniformBallot GroupNonUniformShuffle
GroupNonUniformShuffleRelative GroupNonUniformClustered GroupNonUniformQuad
RoundingModeRTZ RoundingModeRTE DenormFlushToZero DenormPreserve SignedZeroInfNanPreserve
ImageQuery DerivativeControl Sampled1D
'''.split()

OPCODES = '''
OpCopyLogical OpPtrEqual OpPtrNotEqual OpPtrDiff OpPtrAccessChain OpInBoundsAccessChain OpTerminateInvocation OpKill
OpDemoteToHelperInvocation OpIsHelperInvocationEXT OpExecutionModeId
OpSDot OpUDot OpSUDot OpSDotAccSat OpUDotAccSat OpSUDotAccSat
OpUConvert OpSConvert OpFConvert OpConvertFToS OpConvertFToU OpConvertSToF OpConvertUToF OpBitcast OpConvertUToPtr
OpQuantizeToF16 OpSRem OpFRem OpSMod OpFMod OpUMod OpVectorInsertDynamic OpVectorExtractDynamic OpCopyMemory OpCopyObject
OpUndef OpConstantNull OpCompositeInsert OpCompositeExtract OpPhi OpSelect OpSwitch
OpFUnordLessThan OpFUnordGreaterThan OpFUnordLessThanEqual OpFUnordGreaterThanEqual OpFUnordEqual OpFOrdNotEqual
OpAtomicIAdd OpAtomicOr OpAtomicXor OpAtomicAnd OpAtomicSMin OpAtomicUMin OpAtomicSMax OpAtomicUMax OpAtomicExchange
OpAtomicCompareExchange OpAtomicFAddEXT OpAtomicFMinEXT OpAtomicFMaxEXT OpImageTexelPointer OpArrayLength
OpSpecConstant OpSpecConstantTrue OpSpecConstantFalse OpSpecConstantComposite OpSpecConstantOp
OpImageSampleExplicitLod OpImageSampleImplicitLod OpImageFetch OpImageGather OpImageRead OpImageWrite
OpControlBarrier OpUMulExtended OpSMulExtended OpIAddCarry OpISubBorrow OpBitReverse OpBitCount
OpGroupNonUniformElect OpGroupNonUniformAll OpGroupNonUniformAny OpGroupNonUniformAllEqual OpGroupNonUniformBroadcast
OpGroupNonUniformBroadcastFirst OpGroupNonUniformBallot OpGroupNonUniformInverseBallot OpGroupNonUniformBallotBitExtract
OpGroupNonUniformBallotBitCount OpGroupNonUniformBallotFindLSB OpGroupNonUniformBallotFindMSB OpGroupNonUniformShuffle
OpGroupNonUniformShuffleXor OpGroupNonUniformShuffleUp OpGroupNonUniformShuffleDown OpGroupNonUniformIAdd OpGroupNonUniformFAdd
OpGroupNonUniformIMul OpGroupNonUniformSMin OpGroupNonUniformUMin OpGroupNonUniformFMin OpGroupNonUniformSMax
OpGroupNonUniformUMax OpGroupNonUniformFMax OpGroupNonUniformBitwiseAnd OpGroupNonUniformBitwiseOr OpGroupNonUniformBitwiseXor
OpGroupNonUniformQuadBroadcast OpGroupNonUniformQuadSwap
'''.split()

# Of these every stage must have one.
IN_EVERY_STAGE = '''
OpGroupNonUniformElect OpGroupNonUniformAll OpGroupNonUniformAny OpGroupNonUniformBallot OpGroupNonUniformShuffle
OpGroupNonUniformShuffleXor OpGroupNonUniformShuffleUp OpGroupNonUniformShuffleDown OpGroupNonUniformIAdd OpGroupNonUniformFAdd
OpGroupNonUniformSMax OpSDot OpUDot OpSUDot OpPtrDiff OpPtrAccessChain OpCopyLogical OpFConvert OpUConvert OpSConvert
OpConvertUToPtr OpSwitch OpSRem
'''.split()

WIDTHS = {('int', 8), ('int', 16), ('int', 64), ('float', 16), ('float', 64)}
STORAGE = {0: 'UniformConstant', 1: 'Input', 2: 'Uniform', 3: 'Output', 4: 'Workgroup', 6: 'Private', 7: 'Function', 9: 'PushConstant',
           12: 'StorageBuffer', 5349: 'PhysicalStorageBuffer'}
# Numbers in memory: storage class, width, stage.
MEMORY = {(storage, width, stage) for storage in ('Uniform', 'StorageBuffer', 'Function') for width in WIDTHS
          for stage in STAGES.values()}
MEMORY |= {('Workgroup', width, 'compute') for width in WIDTHS}
MEMORY |= {('Input', width, 'fragment') for width in WIDTHS if width[1] > 8}
MEMORY |= {('Output', width, 'vertex') for width in WIDTHS if width[1] > 8}
MEMORY |= {('Input', width, 'vertex') for width in WIDTHS if width[1] == 16}
MEMORY_OF_ANY_STAGE = {('PushConstant', width) for width in WIDTHS} | {('PhysicalStorageBuffer', ('int', w)) for w in (8, 16)}

DESCRIPTORS = ['uniform buffer', 'storage buffer', 'texture', 'storage image', 'inline uniform block', 'array', 'null descriptor',
               'address', 'robust', 'group of 1024', 'SPIR-V 1.3', 'SPIR-V 1.4', 'SPIR-V 1.5', 'SPIR-V 1.6',
               'specialisation constant of 1', 'specialisation constant of 2', 'specialisation constant of 4',
               'specialisation constant of 8', 'workgroup memory that begins as zeros', 'same module for the reference']


class Grammar:
    def __init__(self, folder):
        with open(os.path.join(folder, 'spirv.core.grammar.json')) as f:
            grammar = json.load(f)
        self.opcodes = {}
        for i in grammar['instructions']:
            for name in [i['opname']] + i.get('aliases', []):
                self.opcodes[name] = i['opcode']
        kinds = next(k for k in grammar['operand_kinds'] if k['kind'] == 'Capability')
        self.capabilities = {}
        for e in kinds['enumerants']:
            for name in [e['enumerant']] + e.get('aliases', []):
                self.capabilities[name] = e['value']

    def opcode(self, name):
        return next((self.opcodes[n] for n in (name, name + 'KHR', name + 'EXT') if n in self.opcodes), None)

    def capability(self, name):
        return next((self.capabilities[n] for n in (name, name + 'KHR', name + 'EXT') if n in self.capabilities), None)


class Counts:
    def __init__(self):
        self.capabilities, self.opcodes, self.memory, self.descriptors = {}, {}, {}, {}

    @staticmethod
    def add(table, key):
        table[key] = table.get(key, 0) + 1


def instructions(module):
    words = struct.unpack(f'<{len(module) // 4}I', module)
    at = 5
    while at < len(words):
        count = words[at] >> 16
        yield words[at] & 0xffff, words[at + 1:at + count]
        at += count


def numbers_in(types, id, found):
    """The widths of all numbers in a type."""
    what = types.get(id, ('other',))
    if what[0] in ('int', 'float'):
        found.add(what)
    for inside in what[1] if what[0] == 'of' else ():
        numbers_in(types, inside, found)
    return found


def count_module(counts, module, stage):
    opcodes, capabilities, memory, types = set(), set(), set(), {}
    for op, w in instructions(module):
        opcodes.add(op)
        if op == 17:
            capabilities.add(w[0])
        elif op in (21, 22):  # OpTypeInt, OpTypeFloat
            types[w[0]] = ('int' if op == 21 else 'float', w[1])
        elif op in (23, 24, 28, 29):  # vectors, matrices, arrays
            types[w[0]] = ('of', w[1:2])
        elif op == 30:  # OpTypeStruct
            types[w[0]] = ('of', w[1:])
        elif op == 32:  # OpTypePointer
            types[w[0]] = ('pointer', w[1], w[2])
        elif op == 59:  # OpVariable
            pointer = types[w[0]]
            memory |= {(STORAGE.get(w[2]), width, stage) for width in numbers_in(types, pointer[2], set())}
            if w[2] == 4 and len(w) > 3:
                Counts.add(counts.descriptors, 'workgroup memory that begins as zeros')
    for what in types.values():
        if what[0] == 'pointer' and what[1] == 5349:
            memory |= {('PhysicalStorageBuffer', width, stage) for width in numbers_in(types, what[2], set())}
    for op in opcodes:
        Counts.add(counts.opcodes, (op, stage))
    for c in capabilities:
        Counts.add(counts.capabilities, c)
    for m in memory:
        Counts.add(counts.memory, m)
    Counts.add(counts.descriptors, f'SPIR-V 1.{module[5]}')


def count_program(counts, program, compiler):
    for stage, source in program.sources():
        module = compiler.compile(STAGE_NUMBERS[stage], source, program.target)
        if program.rewrites:
            module = assembly.rewrite(compiler, module, program.rewrites)
        count_module(counts, module, STAGES[stage])
    found = {{6: 'uniform buffer', 7: 'storage buffer', 1: 'texture', 3: 'storage image', 1000138000: 'inline uniform block'}[r.type]
             for r in program.resources}
    found |= {'array' for r in program.resources if r.element} | {'null descriptor' for r in program.resources if r.is_null}
    found |= {'address' for r in program.resources if r.addresses} | {'robust' for _ in range(program.needs_robust)}
    found |= {f'specialisation constant of {size}' for _, _, size in program.specs}
    if not program.has_twin:
        found.add('same module for the reference')
    if any('local_size_x = 1024' in source for _, source in program.sources()):
        found.add('group of 1024')
    for f in found:
        Counts.add(counts.descriptors, f)


def test(number, title, missing, total):
    print(f'{"not ok" if missing else "ok"} {number} - {title}: {total} wanted, {len(missing)} missing')
    for m in missing:
        print(f'# missing: {m}')
    return not missing


def main():
    if not shutil.which('spirv-as'):
        print('1..0 # SKIP no spirv-as')
        return True
    tools, folder = sys.argv[1:3]
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 600
    grammar, counts, compiler = Grammar(folder), Counts(), Compiler(tools)
    for seed in range(1, count + 1):
        count_program(counts, generate.program(seed), compiler)
    compiler.stop()
    of_any_stage = {op for op, _ in counts.opcodes}
    print(f'1..5\n# seeds 1 to {count}')
    fine = [
        test(1, 'capabilities', [c for c in CAPABILITIES if grammar.capability(c) not in counts.capabilities], len(CAPABILITIES)),
        test(2, 'instructions', [o for o in OPCODES if grammar.opcode(o) not in of_any_stage], len(OPCODES)),
        test(3, 'instructions in every stage', [f'{o} ({s})' for o in IN_EVERY_STAGE for s in STAGES.values()
                                                if (grammar.opcode(o), s) not in counts.opcodes], 3 * len(IN_EVERY_STAGE)),
        test(4, 'numbers in memory',
             [m for m in sorted(MEMORY) if m not in counts.memory] +
             [m for m in sorted(MEMORY_OF_ANY_STAGE) if not any((*m, s) in counts.memory for s in STAGES.values())],
             len(MEMORY) + len(MEMORY_OF_ANY_STAGE)),
        test(5, 'descriptors and the rest', [d for d in DESCRIPTORS if d not in counts.descriptors], len(DESCRIPTORS)),
    ]
    for d, n in sorted(counts.descriptors.items()):
        print(f'# {n} of {d}')
    return all(fine)


if __name__ == '__main__':
    sys.exit(0 if main() else 1)
