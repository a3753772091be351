#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A small SPIR-V assembler for tests that GLSL cannot express: spirv_asm.py GRAMMAR_DIR [[--vn NAME] SOURCE -o MODULE]...

With NAME the module is written as a C header with an array of that name. A file that would not change is not written.

One instruction per line, as in the specification: "%id = OpIAdd %int %a %b", "OpStore %p %x". Numbers are decimal or
hexadecimal, or floats if they have a decimal point. Enumerants and masks have the grammar's names; masks are joined
by |. Strings are in double quotes. Text after ; is ignored, as are lines that begin with // or layout(, which tell the
tests what to expect. A line "; Version: 1.6" gives the version of SPIR-V, which is 1.0 otherwise.
"""
import json
import os
import re
import struct
import sys

TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|;.*|[^\s;]+')


class Failure(Exception):
    pass


def with_aliases(entries, key):
    """{name: entry}; newer grammars keep former names as aliases."""
    return {name: e for e in entries for name in [e[key], *e.get('aliases', [])]}


def outside_versions(entries):
    """Entries of extensions, as the grammar marks those that belong to no version of SPIR-V."""
    return [{'version': 'None', **e} for e in entries]


class Grammar:
    def __init__(self, folder):
        core = json.load(open(os.path.join(folder, 'spirv.core.grammar.json')))
        glsl = json.load(open(os.path.join(folder, 'extinst.glsl.std.450.grammar.json')))
        newer = json.load(open(os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                            '../../../src/compiler/spirv/spv_newer.json')))
        core['instructions'] = outside_versions(newer['instructions']) + core['instructions']
        self.magic = int(core['magic_number'], 0)
        self.instructions = with_aliases(core['instructions'], 'opname')
        self.kinds = {k['kind']: k for k in core['operand_kinds']}
        for kind in newer['operand_kinds']:
            known = with_aliases(self.kinds[kind['kind']]['enumerants'], 'enumerant')
            self.kinds[kind['kind']]['enumerants'] += [e for e in outside_versions(kind['enumerants'])
                                                       if e['enumerant'] not in known]
        self.glsl = {i['opname']: i for i in glsl['instructions']}
        self.by_kind = {}

    def enumerants(self, kind):
        if kind not in self.by_kind:
            self.by_kind[kind] = with_aliases(self.kinds[kind]['enumerants'], 'enumerant')
        return self.by_kind[kind]


def wide_number(token):
    bits = struct.unpack('<Q', struct.pack('<d', float(token)))[0] if '.' in token else int(token, 0) & 0xffffffffffffffff
    return [bits & 0xffffffff, bits >> 32]


def number(token):
    if re.fullmatch(r'[-+]?\d*\.\d*(e[-+]?\d+)?', token) or token in ('inf', '-inf'):
        return struct.unpack('<I', struct.pack('<f', float(token)))[0]
    try:
        return int(token, 0) & 0xffffffff
    except ValueError:
        raise Failure(f'"{token}" is not a number')


def string_words(token):
    data = token[1:-1].replace('\\"', '"').encode() + b'\0'
    data += b'\0' * (-len(data) % 4)
    return list(struct.unpack(f'<{len(data) // 4}I', data))


class Assembler:
    def __init__(self, grammar):
        self.grammar, self.ids, self.words = grammar, {}, []
        self.wide, self.types, self.literal_words = set(), {}, 1  # types of 64 bits; the types of results

    def id(self, token):
        if not token.startswith('%'):
            raise Failure(f'"{token}" is not an id, which begins with %')
        return self.ids.setdefault(token, len(self.ids) + 1)

    def enum(self, kind, tokens):
        known, value, parameters, token = self.grammar.enumerants(kind), 0, [], tokens.pop(0)
        for name in token.split('|'):
            if name not in known:
                if not re.match(r'[-+\d]', name):
                    raise Failure(f'{kind} has no "{name}"')
                value |= number(name)
                continue
            entry = known[name]
            value |= int(entry['value'], 0) if isinstance(entry['value'], str) else entry['value']
            parameters += entry.get('parameters', [])
        return [value] + [word for p in parameters for word in self.operand(p['kind'], tokens)]

    def operand(self, kind, tokens):
        category = self.grammar.kinds[kind]['category']
        if kind == 'LiteralString':
            return string_words(tokens.pop(0))
        if kind == 'LiteralSpecConstantOpInteger':
            name = 'Op' + tokens.pop(0)
            inner = self.grammar.instructions[name]
            return [inner['opcode']] + self.operands(inner['operands'][2:], tokens)
        if kind == 'LiteralExtInstInteger':
            token = tokens.pop(0)
            return [self.grammar.glsl[token]['opcode'] if token in self.grammar.glsl else number(token)]
        if category == 'Id':
            return [self.id(tokens.pop(0))]
        if category == 'Literal':
            return wide_number(tokens.pop(0)) if self.literal_words == 2 else [number(tokens.pop(0))]
        if category == 'Composite':
            return [word for base in self.grammar.kinds[kind]['bases'] for word in self.operand(base, tokens)]
        return self.enum(kind, tokens)

    def operands(self, operands, tokens):
        words = []
        for o in operands:
            if o.get('quantifier') and not tokens:
                break
            words += self.operand(o['kind'], tokens)
            while o.get('quantifier') == '*' and tokens:
                words += self.operand(o['kind'], tokens)
        return words

    def find_widths(self, name, result, tokens):
        """Numbers of 64 bits are two words: in constants of such types, and in the cases of such selectors."""
        if name in ('OpTypeInt', 'OpTypeFloat') and tokens[0] == '64':
            self.wide.add(result)
        if result and tokens and not name.startswith('OpType'):
            self.types[result] = tokens[0]
        is_wide = self.types.get(result if 'Constant' in name else tokens[0] if name == 'OpSwitch' else None) in self.wide
        self.literal_words = 2 if is_wide and name in ('OpConstant', 'OpSpecConstant', 'OpSwitch') else 1

    def line(self, text):
        tokens = [t for t in TOKEN.findall(text) if not t.startswith(';')]
        if not tokens:
            return
        result = None
        if len(tokens) > 2 and tokens[1] == '=':
            result = tokens[0]
            del tokens[:2]
        name = tokens.pop(0)
        if name not in self.grammar.instructions:
            raise Failure(f'unknown instruction "{name}"')
        instruction, words = self.grammar.instructions[name], []
        rest = list(instruction.get('operands', []))
        self.find_widths(name, result, tokens)
        if rest and rest[0]['kind'] == 'IdResultType':
            words.append(self.id(tokens.pop(0)))
            del rest[0]
        if rest and rest[0]['kind'] == 'IdResult':
            if not result:
                raise Failure(f'{name} has a result: write "%id = {name} ..."')
            words.append(self.id(result))
            del rest[0]
        words += self.operands(rest, tokens)
        if tokens:
            raise Failure(f'too many operands from "{tokens[0]}" on')
        self.words += [(len(words) + 1) << 16 | instruction['opcode']] + words


def version_of(text):
    found = re.search(r'^; Version: (\d+)\.(\d+)$', text, re.M)
    return int(found[1]) << 16 | int(found[2]) << 8 if found else 0x10000


def assemble(grammar, text):
    """Returns the words of a module. Raises Failure with the line number."""
    a = Assembler(grammar)
    for at, line in enumerate(text.splitlines(), 1):
        try:
            if not line.lstrip().startswith(('//', 'layout(')):
                a.line(line)
        except (Failure, IndexError) as e:
            raise Failure(f'line {at}: {e or "too few operands"}: {line.strip()}')
    return [grammar.magic, version_of(text), 0, len(a.ids) + 1, 0] + a.words


def write_if_changed(path, data):
    try:
        with open(path, 'rb') as f:
            if f.read() == data:
                return
    except FileNotFoundError:
        pass
    with open(path, 'wb') as f:
        f.write(data)


def assemble_file(grammar, source, module, name=None):
    """Raises Failure with the file and the line number."""
    try:
        with open(source) as f:
            words = assemble(grammar, f.read())
    except Failure as e:
        raise Failure(f'{source}: {e}')
    if name:
        data = f'const uint32_t {name}[] = {{{", ".join(hex(w) for w in words)}}};\n'.encode()
    else:
        data = struct.pack(f'<{len(words)}I', *words)
    write_if_changed(module, data)


def main():
    grammar, rest = Grammar(sys.argv[1]), sys.argv[2:]
    while rest:
        name = None
        if rest[0] == '--vn':
            name, rest = rest[1], rest[2:]
        (source, option, module), rest = rest[:3], rest[3:]
        if option != '-o':
            sys.exit(f'spirv_asm.py: -o MODULE expected after {source}')
        try:
            assemble_file(grammar, source, module, name)
        except Failure as e:
            sys.exit(str(e))


if __name__ == '__main__':
    main()
