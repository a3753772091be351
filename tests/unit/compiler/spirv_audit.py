#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that the compiler supports everything that Vulkan allows of SPIR-V, or refuses it by name.

    spirv_audit.py VC4C GRAMMAR_DIR SHADER_FOLDER...

The grammar gives the instructions, extended instructions, decorations, built-ins and execution modes of SPIR-V 1.6 that
need no capability or one that the driver supports. Each has to occur in a shader of the tests, which compare its
results, or in one of the tables below: only compiled, refused with a module that shows the error, or not applicable
with the reason. Everything that needs another capability has to be refused because of that capability. Prints TAP.
"""
import os
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import spirv_asm

VC4C, GRAMMAR_DIR = sys.argv[1:3]
GRAMMAR = spirv_asm.Grammar(GRAMMAR_DIR)
CAPABILITIES = '''Matrix Shader InputAttachment Sampled1D Image1D SampledBuffer ImageBuffer ImageQuery DerivativeControl
    StorageImageExtendedFormats ClipDistance SampledCubeArray ImageGatherExtended ImageCubeArray
    UniformBufferArrayDynamicIndexing SampledImageArrayDynamicIndexing StorageBufferArrayDynamicIndexing
    StorageImageArrayDynamicIndexing SampleRateShading InterpolationFunction Float64 Int64 Int64Atomics Int64ImageEXT
    MinLod GroupNonUniform GroupNonUniformVote
    GroupNonUniformArithmetic GroupNonUniformBallot GroupNonUniformShuffle GroupNonUniformShuffleRelative
    GroupNonUniformClustered GroupNonUniformQuad VariablePointers PhysicalStorageBufferAddresses VulkanMemoryModel
    DemoteToHelperInvocation ShaderNonUniform DotProduct DotProductInputAll DotProductInput4x8Bit
    DotProductInput4x8BitPacked WorkgroupMemoryExplicitLayoutKHR AtomicFloat32AddEXT AtomicFloat32MinMaxEXT
    DenormFlushToZero RoundingModeRTZ DenormPreserve
    RoundingModeRTE SignedZeroInfNanPreserve Int8 Int16 Float16 StoragePushConstant8 StoragePushConstant16
    StorageInputOutput16 StorageBuffer8BitAccess UniformAndStorageBuffer8BitAccess StorageBuffer16BitAccess
    UniformAndStorageBuffer16BitAccess'''.split()

NOTHING_TO_TAKE = {
    # GLSL.std.450
    'IMix': 'removed from the set',
    # decorations
    'GLSLShared': 'a layout that Vulkan does not have', 'GLSLPacked': 'as GLSLShared', 'Index': 'dualSrcBlend',
    # built-ins
    'VertexId': 'not in Vulkan', 'InstanceId': 'not in Vulkan',
}

FRAGMENT = '''; Version: 1.6
OpCapability Shader
{capability}
%glsl = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %o {interface}
OpExecutionMode %main OriginUpperLeft
{mode}
OpDecorate %o Location 0
{decoration}
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%int = OpTypeInt 32 1
%bool = OpTypeBool
%vec4 = OpTypeVector %float 4
%out_vec4 = OpTypePointer Output %vec4
%in_float = OpTypePointer Input %float
%in_int = OpTypePointer Input %int
%o = OpVariable %out_vec4 Output
%zero = OpConstant %float 0.0
%n0 = OpConstant %int 0
{declaration}
%main = OpFunction %void None %fn
%entry = OpLabel
{body}
%color = OpCompositeConstruct %vec4 %zero %zero %zero %zero
OpStore %o %color
OpReturn
OpFunctionEnd
'''


def interpolated(call, declaration=''):
    return dict(capability='OpCapability InterpolationFunction', interface='%i',
                decoration='OpDecorate %i Location 1\nOpDecorate %i Sample',
                declaration=f'%i = OpVariable %in_float Input\n{declaration}',
                body=f'%x = OpExtInst %float %glsl {call}\n%shown = OpCompositeConstruct %vec4 %x %x %x %x\n'
                     'OpStore %o %shown')


def ballot(call, result='%bool'):
    return dict(capability='OpCapability GroupNonUniformBallot\nOpCapability GroupNonUniformShuffleRelative',
                declaration='%true = OpConstantTrue %bool\n%uint = OpTypeInt 32 0\n%uvec4 = OpTypeVector %uint 4\n'
                            '%subgroup = OpConstant %uint 3\n'
                            '%lanes = OpConstantComposite %uvec4 %subgroup %subgroup %subgroup %subgroup',
                body=f'%x = {call.replace("RESULT", result)}')


def lane_mask(name):
    return dict(capability='OpCapability GroupNonUniformBallot', interface='%i',
                decoration=f'OpDecorate %i BuiltIn {name}\nOpDecorate %i Flat',
                declaration='%uint = OpTypeInt 32 0\n%uvec4 = OpTypeVector %uint 4\n'
                            '%in_uvec4 = OpTypePointer Input %uvec4\n%i = OpVariable %in_uvec4 Input',
                body='%x = OpLoad %uvec4 %i')


def sampled(capability, lookup):
    return dict(capability=f'OpCapability {capability}',
                decoration='OpDecorate %t DescriptorSet 0\nOpDecorate %t Binding 0',
                declaration='%image = OpTypeImage %float 2D 0 0 0 1 Unknown\n%sampled = OpTypeSampledImage %image\n'
                            '%to_image = OpTypePointer UniformConstant %sampled\n%t = OpVariable %to_image UniformConstant\n'
                            '%vec2 = OpTypeVector %float 2\n%middle = OpConstantComposite %vec2 %zero %zero\n'
                            '%sparse = OpTypeStruct %int %vec4',
                body=f'%pair = OpLoad %sampled %t\n%x = {lookup}')


def float_mode(name, bits):
    return dict(capability=f'OpCapability {name}\nOpCapability Float64', mode=f'OpExecutionMode %main {name} {bits}')


# Supported, but used by no shader here (at most by the API tests): parts of FRAGMENT that have to compile.
COMPILED = {
    'InterpolateAtCentroid': interpolated('InterpolateAtCentroid %i'),
    'InterpolateAtSample': interpolated('InterpolateAtSample %i %n0'),
    'Sample': interpolated('InterpolateAtOffset %i %middle',
                           '%vec2 = OpTypeVector %float 2\n%middle = OpConstantComposite %vec2 %zero %zero'),
    'SampleId': dict(
        capability='OpCapability SampleRateShading', interface='%i', decoration='OpDecorate %i BuiltIn SampleId\nOpDecorate %i Flat',
        declaration='%i = OpVariable %in_int Input',
        body='%x = OpLoad %int %i\n%f = OpConvertSToF %float %x\n%shown = OpCompositeConstruct %vec4 %f %f %f %f\n'
             'OpStore %o %shown'),
    'SamplePosition': dict(
        capability='OpCapability SampleRateShading', interface='%i', decoration='OpDecorate %i BuiltIn SamplePosition',
        declaration='%vec2 = OpTypeVector %float 2\n%in_vec2 = OpTypePointer Input %vec2\n%i = OpVariable %in_vec2 Input',
        body='%x = OpLoad %vec2 %i\n%shown = OpVectorShuffle %vec4 %x %x 0 1 0 1\nOpStore %o %shown'),
    'OpImageQuerySamples': dict(
        capability='OpCapability ImageQuery',
        decoration='OpDecorate %t DescriptorSet 0\nOpDecorate %t Binding 0',
        declaration='%image = OpTypeImage %float 2D 0 0 1 1 Unknown\n%sampled = OpTypeSampledImage %image\n'
                    '%to_image = OpTypePointer UniformConstant %sampled\n%t = OpVariable %to_image UniformConstant',
        body='%pair = OpLoad %sampled %t\n%ms = OpImage %image %pair\n%n = OpImageQuerySamples %int %ms\n'
             '%f = OpConvertSToF %float %n\n%shown = OpCompositeConstruct %vec4 %f %f %f %f\nOpStore %o %shown'),
    'OpGroupNonUniformInverseBallot': ballot('OpGroupNonUniformInverseBallot RESULT %subgroup %lanes'),
    'OpGroupNonUniformBallotBitExtract': ballot('OpGroupNonUniformBallotBitExtract RESULT %subgroup %lanes %subgroup'),
    'OpGroupNonUniformBallotFindLSB': ballot('OpGroupNonUniformBallotFindLSB RESULT %subgroup %lanes', '%uint'),
    'OpGroupNonUniformShuffleDown': ballot('OpGroupNonUniformShuffleDown RESULT %subgroup %true %subgroup'),
    'SubgroupEqMask': lane_mask('SubgroupEqMask'),
    'SubgroupGtMask': lane_mask('SubgroupGtMask'),
    'SubgroupLeMask': lane_mask('SubgroupLeMask'),
    'OpTerminateInvocation': dict(
        declaration='%true = OpConstantTrue %bool',
        body='OpSelectionMerge %after None\nOpBranchConditional %true %gone %after\n%gone = OpLabel\n'
             'OpTerminateInvocation\n%after = OpLabel'),
    'OpDemoteToHelperInvocation': dict(capability='OpCapability DemoteToHelperInvocation',
                                       body='OpDemoteToHelperInvocation'),
    'RestrictPointer': dict(decoration='OpDecorate %v RestrictPointer',
                            declaration='%to_float = OpTypePointer Function %float',
                            body='%v = OpVariable %to_float Function'),
    'a barrier of the subgroup': dict(declaration='%n3 = OpConstant %int 3\n%n264 = OpConstant %int 264',
                                      body='OpControlBarrier %n3 %n3 %n264'),
    'a variable of type void': dict(declaration='%to_void = OpTypePointer Function %void',
                                    body='%v = OpVariable %to_void Function'),
    'sparse residency that no instruction needs': dict(capability='OpCapability SparseResidency'),
    'MinLod of an implicit level': sampled('MinLod', 'OpImageSampleImplicitLod %vec4 %pair %middle MinLod %zero'),
    'DenormPreserve': float_mode('DenormPreserve', 64),
    'SignedZeroInfNanPreserve': float_mode('SignedZeroInfNanPreserve', 64),
    'RoundingModeRTE': float_mode('RoundingModeRTE', 64),
}

# Refused: parts of FRAGMENT, and a part of the expected error message.
REFUSED = {
    'PixelCenterInteger': (dict(mode='OpExecutionMode %main PixelCenterInteger'), 'execution mode PixelCenterInteger'),
    'OriginLowerLeft': (dict(mode='OpExecutionMode %main OriginLowerLeft'), 'execution mode OriginLowerLeft'),
    'OpTypeFloat 64': (dict(declaration='%double = OpTypeFloat 64'), '64-bit floats'),
    'DenormPreserve 32': (float_mode('DenormPreserve', 32), 'DenormPreserve of 32-bit floats'),
    'RoundingModeRTZ 64': (float_mode('RoundingModeRTZ', 64), 'RoundingModeRTZ of 64-bit floats'),
    'Physical32': (None, 'addressing model 1'),
    'MeshShadingNV': (dict(capability='OpCapability MeshShadingNV'), 'capability MeshShadingNV'),
    'MinLod': (sampled('MinLod', 'OpImageSampleExplicitLod %vec4 %pair %middle Lod|MinLod %zero %zero'), 'operand MinLod'),
    'barrier': (dict(declaration='%n2 = OpConstant %int 2', body='OpControlBarrier %n2 %n2 %n0'), 'other than compute'),
    'sparse': (sampled('SparseResidency', 'OpImageSparseSampleImplicitLod %sparse %pair %middle'), 'OpImageSparseSampleImplicitLod'),
    'OpConstantSampler': (dict(declaration='%s = OpTypeSampler\n%c = OpConstantSampler %s None 0 Nearest'), 'OpConstantSampler'),
    'OpenCL.std': (dict(declaration='', capability='%cl = OpExtInstImport "OpenCL.std"'), 'OpenCL.std'),
    'recursion': (dict(body='%again = OpFunctionCall %void %main'), ''),
}


def vc4c(module, *options):
    emulator = os.environ.get('MESON_EXE_WRAPPER', '').split()  # runs programs of another processor
    run = subprocess.run([*emulator, VC4C, '--stats', *options, module], capture_output=True, text=True)
    return run.returncode, run.stdout + run.stderr


def compile_text(text):
    return compile_words(spirv_asm.assemble(GRAMMAR, text))


def compile_words(words):
    with tempfile.NamedTemporaryFile(suffix='.spv') as f:
        f.write(struct.pack(f'<{len(words)}I', *words))
        f.flush()
        return vc4c(f.name)


def fragment(parts):
    blank = dict.fromkeys('capability interface mode decoration declaration body'.split(), '')
    return FRAGMENT.format(**{**blank, **parts})


class Used:
    """The names that the modules of the tests use, by kind."""

    def __init__(self, folders):
        self.names, self.modules = {}, 0
        self.by_number = {kind: {number(e['value']): e['enumerant'] for e in reversed(GRAMMAR.kinds[kind]['enumerants'])}
                          for kind in ('Decoration', 'BuiltIn', 'ExecutionMode')}
        self.ops = {i['opcode']: name for name, i in reversed(GRAMMAR.instructions.items())}
        self.glsl = {i['opcode']: name for name, i in GRAMMAR.glsl.items()}
        for folder in folders:
            for base, _, files in os.walk(folder):
                for name in files:
                    if name.endswith('.spv'):
                        self.read(os.path.join(base, name))

    def add(self, kind, name):
        self.names.setdefault(kind, set()).add(name)

    def read(self, path):
        data = open(path, 'rb').read()
        words, at = struct.unpack(f'<{len(data) // 4}I', data), 5
        self.modules += 1
        while at < len(words) and words[at] >> 16:
            self.instruction(words[at] & 0xffff, words[at + 1:at + (words[at] >> 16)])
            at += words[at] >> 16

    def instruction(self, op, operands):
        name = self.ops.get(op)
        self.add('instruction', name)
        first = {'OpDecorate': 1, 'OpDecorateId': 1, 'OpDecorateString': 1, 'OpMemberDecorate': 2,
                 'OpMemberDecorateString': 2}.get(name)
        if first:
            self.add('Decoration', self.by_number['Decoration'].get(operands[first]))
            if operands[first] == 11:
                self.add('BuiltIn', self.by_number['BuiltIn'].get(operands[first + 1]))
        elif name in ('OpExecutionMode', 'OpExecutionModeId'):
            self.add('ExecutionMode', self.by_number['ExecutionMode'].get(operands[1]))
        elif name == 'OpExtInst':
            self.add('GLSL.std.450', self.glsl.get(operands[3]))


def number(value):
    return int(value, 0) if isinstance(value, str) else value


def is_ours(entry):
    """Part of SPIR-V 1.6 itself, without a required capability or with one that the driver supports."""
    version = entry.get('version', '1.0')
    if version == 'None' or [int(n) for n in version.split('.')] > [1, 6]:
        return False
    return not entry.get('capabilities') or bool(set(entry['capabilities']) & set(CAPABILITIES))


def without_aliases(entries, key):
    """The first of all entries of each number."""
    return list({number(e[key]): e for e in reversed(entries)}.values())


def wanted(kind):
    if kind == 'instruction':
        entries = [i for n, i in GRAMMAR.instructions.items() if n == i['opname']]
        return [i['opname'] for i in without_aliases(entries, 'opcode') if is_ours(i)]
    if kind == 'GLSL.std.450':
        return [n for n, i in GRAMMAR.glsl.items() if not i.get('capabilities')]
    return [e['enumerant'] for e in without_aliases(GRAMMAR.kinds[kind]['enumerants'], 'value') if is_ours(e)]


def missing(kind, used):
    names = used.names.get(kind, set())
    return [n for n in wanted(kind) if n not in names and n not in NOTHING_TO_TAKE and n not in REFUSED and n not in COMPILED]


def compile_longer(decoration):
    """Compiles a module with an OpDecorate that has two operands more than the grammar knows."""
    words, at, found = spirv_asm.assemble(GRAMMAR, fragment(dict(decoration=decoration))), 5, 0
    while at < len(words):
        found = at if words[at] & 0xffff == GRAMMAR.instructions['OpDecorate']['opcode'] else found
        at += words[at] >> 16
    end = found + (words[found] >> 16)
    return compile_words(words[:found] + [words[found] + (2 << 16)] + words[found + 1:end] + [1, 2] + words[end:])


def compile_newer():
    """Compiles a module of an extension that the grammar does not know: a capability and an operation."""
    words = spirv_asm.assemble(GRAMMAR, fragment({}))
    return compile_words(words[:5] + [2 << 16 | 17, 60000] + words[5:] + [1 << 16 | 60001])


def compiles():
    runs = {name: compile_text(fragment(parts)) for name, parts in COMPILED.items()}
    runs['a decoration that the grammar does not know'] = compile_longer('OpDecorate %o 9999')
    return [f'{name}: {out.strip()}' for name, (status, out) in runs.items() if status]


def refusals():
    wrong = []
    for name, (parts, message) in REFUSED.items():
        text = fragment(parts or {})
        if parts is None:
            text = text.replace('Logical GLSL450', 'Physical32 GLSL450')
        status, out = compile_text(text)
        if not status or message not in out:
            wrong.append(f'{name}: {out.strip()}')
    status, out = compile_newer()
    if not status or 'capability 60000' not in out:
        wrong.append(f'an operation of a newer extension: {out.strip()}')
    status, out = compile_longer('OpDecorate %o Component 0')
    if not status or 'words too long' not in out:
        wrong.append(f'a decoration with more operands than it has: {out.strip()}')
    return wrong


def other_capabilities():
    """A capability that the driver does not support has to be refused by its name."""
    wrong = []
    enumerants = {number(e['value']): e for e in reversed(GRAMMAR.kinds['Capability']['enumerants'])}
    taken = set()
    for value, entry in enumerants.items():
        status, out = compile_text(fragment(dict(capability=f'OpCapability {value}')))
        if not status:
            taken.add(entry['enumerant'])
        elif f'capability {entry["enumerant"]} ' not in out:
            wrong.append(f'{entry["enumerant"]}: {out.strip()}')
    return wrong + [f'{name} is refused' for name in CAPABILITIES if name not in taken], taken


def main():
    used, results = Used(sys.argv[3:]), []
    for kind in ('instruction', 'GLSL.std.450', 'Decoration', 'BuiltIn', 'ExecutionMode'):
        lost = missing(kind, used)
        results.append((f'{kind}: {len(wanted(kind))} of SPIR-V 1.6', [f'not in any shader: {n}' for n in lost]))
    results.append((f'{len(COMPILED)} that only compile', compiles()))
    results.append((f'{len(REFUSED)} refusals', refusals()))
    wrong, taken = other_capabilities()
    results.append((f'capabilities: {len(taken)} taken', wrong))
    print(f'1..{len(results)}')
    for i, (name, problems) in enumerate(results, 1):
        for problem in problems:
            print(f'# {problem}')
        print(f'{"not ok" if problems else "ok"} {i} - {name}')
    print(f'# {used.modules} modules; taken: {", ".join(sorted(taken))}')
    sys.exit(any(problems for _, problems in results))


main()
