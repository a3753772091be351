#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that the generators which read Khronos files also work with newer versions of these files.

    generators.py SPV_GEN GRAMMAR_DIR ENTRYPOINTS_GEN INFO_GEN VK_XML EXTENSIONS_H CC...

Each case changes the installed grammar or registry as later releases did or may do, and compares the generated code with
that of the installed files: nothing that the driver uses may be lost or changed. Prints TAP.
"""
import copy
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

SPV_GEN, GRAMMAR_DIR, ENTRYPOINTS_GEN, INFO_GEN, VK_XML, EXTENSIONS_H, *CC = sys.argv[1:]
CORE, GLSL = 'spirv.core.grammar.json', 'extinst.glsl.std.450.grammar.json'


class Failed(Exception):
    pass


def expect(condition, message):
    if not condition:
        raise Failed(message)


# ---------------------------------------------------------------- spv_gen.py

def run_spv_gen(core, glsl):
    """Returns (exit status, messages, header, source)."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / CORE).write_text(json.dumps(core))
        (folder / GLSL).write_text(json.dumps(glsl))
        header, source = folder / 'spv_gen.h', folder / 'spv_gen.c'
        run = subprocess.run([sys.executable, SPV_GEN, folder, header, source], capture_output=True, text=True)
        if run.returncode:
            return run.returncode, run.stderr, '', ''
        cc = subprocess.run([*CC, '-std=gnu11', '-fsyntax-only', '-Wall', '-Wextra', '-Werror', source],
                            capture_output=True, text=True)
        expect(not cc.returncode, f'the generated code does not compile: {cc.stderr}')
        return 0, '', header.read_text(), source.read_text()


def constants(header):
    return dict(re.findall(r'^    (\w+) = (\w+),$', header, re.M))


def tables(source):
    """Returns ({operation: kinds}, {(enum, value): kinds}). An enum with parameters is given by name, not by letter."""
    params = re.findall(r"^    \{'(.)', (?:true|false), (\d+), \"(.*)\"\}, /\* (\w+) \w+ \*/$", source, re.M)
    names = {letter: f'<{kind}>' for letter, _, _, kind in params}

    def named(kinds):
        return ''.join(names.get(letter, letter) for letter in kinds)

    operations = {name: named(kinds) for name, kinds in re.findall(r'^    \{"(\w+)", "(.*)", \d+\},$', source, re.M)}
    return operations, {(kind, value): named(kinds) for _, value, kinds, kind in params}


class Grammar:
    def __init__(self):
        self.core = json.loads((pathlib.Path(GRAMMAR_DIR) / CORE).read_text())
        self.glsl = json.loads((pathlib.Path(GRAMMAR_DIR) / GLSL).read_text())
        status, said, header, source = run_spv_gen(self.core, self.glsl)
        expect(not status, said)
        self.constants, (self.operations, self.params) = constants(header), tables(source)

    def changed(self, change):
        """Applies `change` to a copy of the grammar, checks that the output still has everything that the installed
        grammar gives, and returns the new output."""
        core, glsl = copy.deepcopy(self.core), copy.deepcopy(self.glsl)
        change(core, glsl)
        status, said, header, source = run_spv_gen(core, glsl)
        expect(not status, said)
        new_constants, (operations, params) = constants(header), tables(source)
        for was, now in (self.constants, new_constants), (self.operations, operations), (self.params, params):
            for key, value in was.items():
                expect(now.get(key) == value, f'{key}: was {value}, is {now.get(key)}')
        return new_constants, operations, params


def grammar_installed(grammar):
    for name in 'SpvOpTypeVoid', 'SpvDecorationBuiltIn', 'SpvImageOperandsBiasMask', 'GLSLstd450Sqrt', 'GLSLstd450NClamp':
        expect(name in grammar.constants, f'no {name}')
    expect(grammar.operations['OpIAdd'] == 'trii', f'OpIAdd {grammar.operations["OpIAdd"]}')
    expect(grammar.params['Decoration', '11'] == 'l', 'the parameter of BuiltIn is not a literal')


def grammar_unknown_kind(grammar):
    def change(core, glsl):
        core['operand_kinds'] += [
            {'category': 'Literal', 'kind': 'LiteralVector'}, {'category': 'Newest', 'kind': 'Newest'},
            {'category': 'Id', 'kind': 'IdNewest'},
            {'category': 'Composite', 'kind': 'PairOfThree', 'bases': ['IdRef', 'LiteralVector', 'IdRef']},
            {'category': 'Composite', 'kind': 'PairOfTwo', 'bases': ['IdRef', 'LiteralFloat']}]
        for at, kind in enumerate(('LiteralVector', 'Newest', 'IdNewest', 'PairOfThree', 'PairOfTwo', 'Unlisted')):
            core['instructions'].append({'opname': f'Op{kind}', 'opcode': 60000 + at, 'operands': [
                {'kind': 'IdResultType'}, {'kind': 'IdResult'}, {'kind': kind}, {'kind': 'IdRef'}]})
        decoration = next(k for k in core['operand_kinds'] if k['kind'] == 'Decoration')
        decoration['enumerants'].append({'enumerant': 'Newest', 'value': 60000, 'parameters': [{'kind': 'Unlisted'}]})

    made, operations, params = grammar.changed(change)
    # An unknown kind ('c') takes all remaining words, so the kinds after it are dropped.
    for kind, kinds in (('LiteralVector', 'trc'), ('Newest', 'trc'), ('IdNewest', 'trii'), ('PairOfThree', 'trc'),
                        ('PairOfTwo', 'trqi'), ('Unlisted', 'trc')):
        expect(operations[f'Op{kind}'] == kinds, f'{kind}: {operations[f"Op{kind}"]}')
    expect(params['Decoration', '60000'] == 'c' and made['SpvDecorationNewest'] == '60000', 'the decoration')


def grammar_literal_float(grammar):
    """SPIRV-Headers 1.3.261 used the kind LiteralFloat before it listed it."""
    def change(core, glsl):
        core['operand_kinds'] = [k for k in core['operand_kinds'] if k['kind'] != 'LiteralFloat']
        decoration = next(k for k in core['operand_kinds'] if k['kind'] == 'Decoration')
        decoration['enumerants'].append({'enumerant': 'Error', 'value': 60000, 'parameters': [{'kind': 'LiteralFloat'}]})

    _, _, params = grammar.changed(change)
    expect(params['Decoration', '60000'] == 'l', 'a LiteralFloat is not one literal word')


def grammar_empty_enum(grammar):
    """An enum without enumerators, like FPEncoding in 1.4.309. C does not allow it."""
    def change(core, glsl):
        core['operand_kinds'].insert(0, {'category': 'ValueEnum', 'kind': 'Empty', 'enumerants': []})
        core['instructions'].append({'opname': 'OpEmpty', 'opcode': 60000, 'operands': [{'kind': 'Empty', 'quantifier': '?'}]})

    _, operations, _ = grammar.changed(change)
    expect(operations['OpEmpty'] == '?l', operations['OpEmpty'])


def grammar_aliases(grammar):
    """Since 1.4.304 a renamed enumerant or operation is listed as an alias, not as an entry of its own."""
    def rename(entry, key):
        entry['aliases'] = [entry[key], *entry.get('aliases', [])]
        entry[key] += 'Renamed'

    def change(core, glsl):
        for kind in core['operand_kinds']:
            for entry in kind.get('enumerants', []):
                if re.search('EXT$|KHR$', entry['enumerant']):
                    rename(entry, 'enumerant')

    made, _, _ = grammar.changed(change)
    expect('SpvCapabilityDemoteToHelperInvocationEXT' in made, 'the alias')


def grammar_many_enums(grammar):
    def change(core, glsl):
        for at in range(100):
            core['operand_kinds'].append({'category': 'ValueEnum', 'kind': f'Many{at}', 'enumerants': [
                {'enumerant': 'One', 'value': 1, 'parameters': [{'kind': 'IdRef'}]}]})
            core['instructions'].append({'opname': f'OpMany{at}', 'opcode': 60000 + at, 'operands': [{'kind': f'Many{at}'}]})

    _, operations, params = grammar.changed(change)
    expect(operations['OpMany0'] == '<Many0>' and params['Many0', '1'] == 'i', 'the first enum has no letter')
    expect(operations['OpMany99'] == 'c', 'the last enum has a letter although none was left')


def grammar_unknown_parts(grammar):
    def change(core, glsl):
        core['newest_section'] = [{'opname': 'OpNowhere', 'opcode': 1}]
        core['operand_kinds'].insert(0, {'category': 'ValueEnum', 'kind': 'First', 'enumerants': [
            {'enumerant': 'One', 'value': '0x1', 'parameters': [{'kind': 'IdRef'}]},
            {'enumerant': 'not-a-name', 'value': 2}]})
        core['operand_kinds'].append({'category': 'NewestEnum', 'kind': 'Newest', 'enumerants': [{'enumerant': 'One', 'value': 1}]})
        for entry in core['instructions'] + glsl['instructions']:
            entry['newest'] = {'since': '2.0'}
            entry['opcode'] = hex(entry['opcode'])
            for operand in entry.get('operands', []):
                operand['newest'] = True
        core['instructions'].append({'opname': 'OpMore', 'opcode': 60000, 'operands': [
            {'kind': 'Newest'}, {'kind': 'First'}, {'kind': 'IdRef', 'quantifier': '+'}]})
        glsl['instructions'].append({'opname': 'Newest', 'opcode': 4000, 'operands': [{'kind': 'Unlisted'}]})

    made, operations, _ = grammar.changed(change)
    expect(operations['OpMore'] == 'l<First>?c', operations['OpMore'])
    expect(made['GLSLstd450Newest'] == '4000', 'the extended instruction')


def grammar_unknown_layout(grammar):
    for name, core, glsl in ((CORE, {'operations': grammar.core['instructions']}, grammar.glsl),
                             (GLSL, grammar.core, {'instructions': []})):
        status, said, _, _ = run_spv_gen(core, glsl)
        expect(status and name in said and 'no operation' in said and 'Traceback' not in said, f'{name}: {said}')


# ---------------------------------------------------------------- vc4vk_entrypoints_gen.py, info_gen.py

def run_generators(root, extensions=None):
    """Returns [(exit status, output or messages)] for the entry points' header and source and for vc4vk-info's table."""
    with tempfile.TemporaryDirectory() as folder:
        registry, rows = pathlib.Path(folder) / 'vk.xml', pathlib.Path(folder) / 'extensions.h'
        ET.ElementTree(root).write(registry)
        rows.write_text(extensions or pathlib.Path(EXTENSIONS_H).read_text())
        commands = [ENTRYPOINTS_GEN, registry, rows, 'header'], [ENTRYPOINTS_GEN, registry, rows, 'source'], [INFO_GEN, registry, rows]
        runs = [subprocess.run([sys.executable, *command], capture_output=True, text=True) for command in commands]
    return [(run.returncode, run.stdout if not run.returncode else run.stderr) for run in runs]


class Registry:
    def __init__(self):
        self.root = ET.parse(VK_XML).getroot()
        self.texts = self.made(self.root)

    @staticmethod
    def made(root, extensions=None):
        runs = run_generators(root, extensions)
        expect(not any(status for status, _ in runs), '\n'.join(said for status, said in runs if status))
        return [text for _, text in runs]

    def unchanged(self, change):
        root = copy.deepcopy(self.root)
        change(root)
        for was, now in zip(self.texts, self.made(root)):
            lost = sorted(set(was.splitlines()) ^ set(now.splitlines()))
            expect(was == now, '\n'.join(lost[:10]) or 'the order')


def commands_of(root):
    return {c.findtext('proto/name'): c for c in root.findall('commands/command') if c.find('proto') is not None}


def registry_installed(registry):
    header, source, info = registry.texts
    for name in 'CreateInstance', 'CmdDraw', 'QueuePresentKHR':
        expect(f' vc4vk_{name}(' in header, f'no {name}')
    for name in 'vkCmdDispatchBase', 'vkWaitSemaphores', 'vkCmdBeginRendering':
        expect(f'"{name}"' in source, f'no {name}')
    for name, function, gate in (('vkCmdDraw', 'CmdDraw', 'CORE, {0}'), ('vkWaitSemaphores', 'WaitSemaphoresKHR', 'CORE, {2}'),
                                 ('vkResetQueryPool', 'ResetQueryPoolEXT', 'CORE, {2}'), ('vkQueueSubmit2', 'QueueSubmit2KHR', 'CORE, {3}'),
                                 ('vkGetBufferDeviceAddressEXT', 'GetBufferDeviceAddressKHR', 'DEVICE, {')):
        row = next(line for line in source.splitlines() if line.startswith(f'    {{"{name}",'))
        expect(f')vc4vk_{function},' in row and f'_GATE_{gate}' in row, row)
    for name in 'maxImageDimension2D', 'robustBufferAccess', 'protectedMemory', 'timelineSemaphore', 'drawIndirectCount':
        expect(f'{{"{name}", INFO_' in info, f'no {name}')
    row = next(line for line in source.splitlines() if line.startswith('    {"vkCmdPushDescriptorSetWithTemplateKHR"'))
    expect('KHR_push_descriptor)' in row, row)


def registry_internal_features(registry):
    """Since 1.4.326 the commands of a version are listed in internal features that the version depends on."""
    def change(root):
        for minor in range(4):
            version = f'1_{minor}'
            feature = next(f for f in root.findall('feature') if f.get('name') == f'VK_VERSION_{version}')
            feature.set('api', 'vulkan,vulkansc,vulkanbase')
            requires = [r for r in feature.findall('require')]
            for name, part in ('BASE', requires[::2]), ('GRAPHICS', requires[1::2]):
                inner = ET.Element('feature', {'api': 'vulkan,vulkanbase', 'apitype': 'internal', 'number': version.replace('_', '.'),
                                               'name': f'VK_{name}_VERSION_{version}'})
                if name == 'GRAPHICS':
                    inner.set('depends', f'VK_BASE_VERSION_{version}')
                for require in part:
                    feature.remove(require)
                    inner.append(require)
                root.insert(list(root).index(feature), inner)
            feature.set('depends', f'(VK_GRAPHICS_VERSION_{version}' + (f'+VK_VERSION_1_{minor - 1})' if minor else ')'))

    registry.unchanged(change)


def registry_other_apis(registry):
    def change(root):
        commands = root.find('commands')
        for name, command in commands_of(root).items():
            if name in ('vkCreateInstance', 'vkQueueSubmit', 'vkCmdDraw'):
                command.set('api', 'vulkan,vulkanbase')
                other = copy.deepcopy(command)
                other.set('api', 'vulkansc')
                other.find('proto/type').text = 'VkOther'
                commands.append(other)
                param = ET.SubElement(command, 'param', {'api': 'vulkansc'})
                ET.SubElement(param, 'type').text = 'VkOther'
                ET.SubElement(param, 'name').text = 'other'
        feature = ET.SubElement(root, 'feature', {'api': 'vulkansc', 'name': 'VK_VERSION_1_0', 'number': '1.0'})
        ET.SubElement(ET.SubElement(feature, 'require'), 'command', {'name': 'vkOther'})
        for extension in root.findall('extensions/extension'):
            require = ET.SubElement(extension, 'require', {'api': 'vulkansc'})
            ET.SubElement(require, 'command', {'name': 'vkOther'})

    registry.unchanged(change)


def registry_unknown_parts(registry):
    def change(root):
        for element in list(root.iter()):
            element.set('newest', 'yes')
        for command in commands_of(root).values():
            for param in command.findall('param'):
                comment = ET.SubElement(param, 'comment')
                comment.text, comment.tail = 'a pointer *', '\n    '
            ET.SubElement(command, 'newest').text = 'text'
        for place in (root, root.find('types'), root.find('commands'), root.find('extensions'), root.find('platforms')):
            ET.SubElement(place, 'newest', {'category': 'newest', 'name': 'newest', 'api': 'vulkan'})
        ET.SubElement(root.find('types'), 'type', {'category': 'newest', 'name': 'VkNewest', 'requires': 'newest_platform'})
        ET.SubElement(root.find('types'), 'type', {'category': 'handle'})
        limits = next(t for t in root.findall('types/type') if t.get('name') == 'VkPhysicalDeviceLimits')
        member = ET.SubElement(limits, 'member')
        ET.SubElement(member, 'type').text = 'VkNewest'
        ET.SubElement(member, 'name').text = 'newest'
        ET.SubElement(root.find('platforms'), 'platform', {'name': 'newest', 'protect': 'VK_USE_PLATFORM_NEWEST'})
        extension = ET.SubElement(root.find('extensions'), 'extension', {'name': 'VK_NEWEST_one', 'platform': 'newest',
                                                                       'supported': 'vulkan', 'ratified': 'vulkan'})
        ET.SubElement(ET.SubElement(extension, 'require'), 'command', {'name': 'vkNewest'})
        for feature in root.findall('feature') + root.findall('extensions/extension'):
            ET.SubElement(ET.SubElement(feature, 'newest'), 'command', {'name': 'vkNewest'})

    registry.unchanged(change)


def registry_dependencies(registry):
    """Newer registries have one expression `depends` instead of the attributes `feature` and `extension`. The order of
    extensions has no meaning."""
    def change(root):
        for extension in root.findall('extensions/extension'):
            for require in extension.findall('require'):
                parts = [require.attrib.pop(key) for key in ('feature', 'extension') if key in require.attrib]
                if parts:
                    require.set('depends', '+'.join(parts))
                depends = require.get('depends')
                if depends:
                    require.set('depends', f'VK_NEWEST_one::member+VK_VERSION_9_9,(({depends}),VK_VERSION_9_9+({depends}))')
        extensions = root.find('extensions')
        extensions[:] = reversed(extensions)

    registry.unchanged(change)


def registry_aliases(registry):
    """A command that is the alias of an alias."""
    def change(root):
        commands = root.find('commands')
        for alias in [c for c in commands if c.get('alias') and c.get('name').endswith('KHR')]:
            middle = alias.get('name') + 'Middle'
            ET.SubElement(commands, 'command', {'name': middle, 'alias': alias.get('alias')})
        for alias in [c for c in commands if c.get('name') == 'vkTrimCommandPoolKHR']:
            alias.set('alias', 'vkTrimCommandPoolKHRMiddle')

    root = copy.deepcopy(registry.root)
    change(root)
    header, source, _ = registry.made(root)
    expect('"vkTrimCommandPoolKHR"' in source, 'vkTrimCommandPoolKHR')


def registry_new_extension(registry):
    """A new extension that the driver has a row for is generated although its types are unknown."""
    root = copy.deepcopy(registry.root)
    extension = ET.SubElement(root.find('extensions'), 'extension', {'name': 'VK_NEWEST_one', 'platform': 'newest', 'newest': 'yes'})
    ET.SubElement(ET.SubElement(extension, 'require', {'depends': 'VK_VERSION_9_9,VK_VERSION_1_1'}), 'command', {'name': 'vkNewest'})
    ET.SubElement(ET.SubElement(extension, 'require', {'depends': 'VK_VERSION_9_9'}), 'command', {'name': 'vkLater'})
    command = ET.SubElement(root.find('commands'), 'command', {'newest': 'yes'})
    proto = ET.SubElement(command, 'proto')
    ET.SubElement(proto, 'type').text = 'VkNewestResult'
    ET.SubElement(proto, 'name').text = 'vkNewest'
    param = ET.SubElement(command, 'param')
    kind = ET.SubElement(param, 'type')
    kind.text, kind.tail = 'VkNewestHandle', ' '
    ET.SubElement(param, 'name').text = 'newest'
    rows = re.sub(r'(#define VC4VK_DEVICE_EXTENSIONS\(X\).*\n)', r'\1    X(NEWEST_one, 1, always) \\\n',
                  pathlib.Path(EXTENSIONS_H).read_text())
    header, source, _ = registry.made(root, rows)
    expect('VKAPI_ATTR VkNewestResult VKAPI_CALL vc4vk_Newest(VkNewestHandle newest);' in header, 'the prototype')
    expect('offsetof(struct vc4vk_device_extensions, NEWEST_one)' in source and 'vkLater' not in source, 'its row')


def registry_unknown_layout(registry):
    for gone, lost in ('feature', (True, True, True)), ('commands', (True, True, False)), ('types', (False, False, True)):
        root = copy.deepcopy(registry.root)
        for element in root.findall(gone):
            root.remove(element)
        for (status, said), is_lost in zip(run_generators(root), lost):
            expect(bool(status) == is_lost, f'without {gone}: {said[:200]}')
            expect(not status or '_gen.py: ' in said and 'Traceback' not in said, f'without {gone}: {said}')


def main():
    grammar, registry = Grammar(), Registry()
    cases = [(f.__name__, f, grammar) for f in (grammar_installed, grammar_unknown_kind, grammar_literal_float,
              grammar_empty_enum, grammar_aliases, grammar_many_enums, grammar_unknown_parts, grammar_unknown_layout)]
    cases += [(f.__name__, f, registry) for f in (registry_installed, registry_internal_features, registry_other_apis,
              registry_unknown_parts, registry_dependencies, registry_aliases, registry_new_extension,
              registry_unknown_layout)]
    failed = 0
    print(f'1..{len(cases)}')
    for at, (name, function, subject) in enumerate(cases, 1):
        problem = ''
        try:
            function(subject)
        except Failed as e:
            problem = str(e)
        failed += bool(problem)
        print(f'{"not ok" if problem else "ok"} {at} - {name}')
        for line in problem.splitlines()[:12]:
            print(f'# {line}')
    sys.exit(failed != 0)


main()
