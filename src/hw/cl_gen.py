#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# Generates C from cl.xml. Each control-list record and each plain struct gets a C struct and functions to pack, unpack
# and print it; one table lists them all. docs/cl-api.md describes the output. Usage: cl_gen.py cl.xml out.h out.c
import re, sys
import xml.etree.ElementTree as ET

C_TYPE = {'uint': 'uint32_t', 'int': 'int32_t', 'bool': 'bool', 'float': 'float', 's12.4': 'float', 'f187': 'float',
          'address': 'uint32_t'}
FIXED_BITS = {'bool': 1, 'float': 32, 's12.4': 16, 'f187': 16}


def fail(message):
    sys.exit(f'cl_gen.py: {message}')


class Field:
    def __init__(self, element, owner, enums):
        self.name = element.get('name')
        self.start = int(element.get('start'))
        self.bits = int(element.get('bits'))
        self.type = element.get('type')
        self.shift = int(element.get('shift', '0'))
        self.enum = element.get('enum')
        where = f'{owner}.{self.name}'
        if self.type not in C_TYPE:
            fail(f'{where}: unknown type {self.type}')
        if not 1 <= self.bits <= 32 or FIXED_BITS.get(self.type, self.bits) != self.bits:
            fail(f'{where}: {self.bits} bits of type {self.type}')
        if self.enum and self.enum not in enums:
            fail(f'{where}: unknown enum {self.enum}')
        if self.shift and self.type != 'address':
            fail(f'{where}: only addresses are shifted')

    def check(self, record):
        """The C condition under which the value fits the field; None when every value fits."""
        v = f'v->{self.name}'
        if self.type in ('float', 'bool', 'f187'):
            return None
        if self.type == 's12.4':
            return f'{v} >= -2048.0f && {v} < 2048.0f'
        if self.type == 'int':
            return None if self.bits == 32 else f'{v} >= -(1 << {self.bits - 1}) && {v} < 1 << {self.bits - 1}'
        parts = []
        if self.shift:
            parts.append(f'!({v} & {hex((1 << self.shift) - 1)}u)')
        if self.bits + self.shift < 32:
            parts.append(f'{v} < 1u << {self.bits + self.shift}')
        return ' && '.join(parts) or None

    def encode(self):
        """The field's bits as a uint32_t expression."""
        v = f'v->{self.name}'
        if self.type == 'float':
            return f'util_fui({v})'
        if self.type == 'f187':
            return f'util_fui({v}) >> 16'
        if self.type == 's12.4':
            return f'(uint32_t)(int32_t)lrintf({v} * 16.0f) & 0xffffu'
        if self.type == 'int':
            return f'(uint32_t){v}' + ('' if self.bits == 32 else f' & {hex((1 << self.bits) - 1)}u')
        if self.shift:
            return f'{v} >> {self.shift}'
        return v

    def decode(self, raw):
        """The field's value from its bits `raw`."""
        if self.type == 'float':
            return f'util_uif({raw})'
        if self.type == 'f187':
            return f'util_uif(({raw}) << 16)'
        if self.type == 's12.4':
            return f'(float)(int16_t)({raw}) / 16.0f'
        if self.type == 'int':
            return f'(int32_t)(({raw}) << {32 - self.bits}) >> {32 - self.bits}'
        if self.type == 'bool':
            return f'({raw}) != 0'
        if self.shift:
            return f'({raw}) << {self.shift}'
        return raw

    def pieces(self, first_byte):
        """(byte, bit in byte, bits, bit in field) for every byte that the field touches."""
        done = 0
        while done < self.bits:
            bit = self.start + done
            n = min(8 - bit % 8, self.bits - done)
            yield first_byte + bit // 8, bit % 8, n, done
            done += n


class Record:
    def __init__(self, element, enums):
        self.name = element.get('name')
        self.size_B = int(element.get('size_B'))
        self.is_packet = element.tag == 'packet'
        self.id = int(element.get('id')) if self.is_packet else None
        self.where = element.get('where', '')
        self.first_byte = 1 if self.is_packet else 0
        self.fields = [Field(f, self.name, enums) for f in element.findall('field')]
        used = 0
        for f in self.fields:
            mask = ((1 << f.bits) - 1) << f.start
            if used & mask:
                fail(f'{self.name}.{f.name} overlaps another field')
            used |= mask
        if used >> (self.size_B - self.first_byte) * 8:
            fail(f'{self.name}: fields go past its {self.size_B} bytes')


def read(path):
    # A comment on the line of a field describes the field: copy it to the C struct. ElementTree drops comments.
    root = ET.parse(path).getroot()
    text = open(path).read()
    comments = {}
    owner = None
    for line in text.splitlines():
        m = re.search(r'<(?:packet|struct) .*?name="(\w+)"', line)
        owner = m.group(1) if m else owner
        m = re.search(r'<field name="(\w+)".*<!--\s*(.*?)\s*-->', line)
        if m:
            comments[owner, m.group(1)] = m.group(2)
    enums = {e.get('name'): e for e in root.findall('enum')}
    records = [Record(e, enums) for e in root if e.tag in ('packet', 'struct')]
    for what in ('name', 'id'):
        seen = [getattr(r, what) for r in records if getattr(r, what) is not None]
        if len(seen) != len(set(seen)):
            fail(f'a {what} is used twice')
    return enums, records, comments


def emit_header(out, enums, records, comments):
    p = lambda *lines: out.writelines(line + '\n' for line in lines)
    p('/* SPDX-License-Identifier: MIT', ' *', ' * Control-list records, made by hw/cl_gen.py from hw/cl.xml.', ' */',
      '#ifndef HW_CL_GEN_H', '#define HW_CL_GEN_H', '', '#include <stdio.h>', '#include "util/macros.h"', '')
    for name, e in enums.items():
        p(f'enum cl_{name} {{')
        for v in e.findall('value'):
            p(f'    {e.get("prefix")}_{v.get("name").upper()} = {v.get("value")},')
        p('};', f'const char *cl_{name}_name(uint32_t value); /* "?" for an unknown value */', '')
    for r in records:
        upper = r.name.upper()
        if r.is_packet:
            p(f'#define CL_{upper}_ID {r.id}')
        p(f'#define CL_{upper}_SIZE_B {r.size_B}', f'struct cl_{r.name} {{')
        for f in r.fields:
            notes = []
            if f.enum:
                notes.append(f'enum cl_{f.enum}')
            if (r.name, f.name) in comments:
                notes.append(comments[r.name, f.name])
            note = f' /* {"; ".join(notes)} */' if notes else ''
            p(f'    {C_TYPE[f.type]} {f.name};{note}')
        if not r.fields:
            p('    uint8_t no_fields;')
        p('};', f'void cl_{r.name}_pack(uint8_t *out, const struct cl_{r.name} *v);',
          f'void cl_{r.name}_unpack(const uint8_t *in, struct cl_{r.name} *out);',
          f'void cl_{r.name}_print(FILE *to, const struct cl_{r.name} *v);', '')
    p('struct cl_field_info {', '    const char *name;',
      '    uint16_t start; /* bit offset from the first byte of the record, including the id */', '    uint8_t bits;',
      '    bool is_float; /* float or f187: pack and unpack may change the payload of a NaN */', '};', '',
      'struct cl_packet_info {', '    const char *name;', '    uint32_t size_B; /* including the id byte */',
      '    const char *where; /* b binning list, r render list, t tile list */',
      '    void (*print)(FILE *to, const uint8_t *in); /* one line */',
      '    void (*repack)(uint8_t *out, const uint8_t *in); /* unpack and pack: clears unused bits */',
      '    const struct cl_field_info *fields;', '    uint32_t field_count;', '};', '',
      '/* NULL for an unlisted id. */', 'const struct cl_packet_info *cl_packet_info(uint8_t id);',
      '/* The plain structs, in the order of cl.xml. */',
      f'#define CL_STRUCT_COUNT {sum(not r.is_packet for r in records)}',
      'const struct cl_packet_info *cl_struct_info(uint32_t index);', '', '#endif')


def emit_pack(p, r):
    p(f'void cl_{r.name}_pack(uint8_t *out, const struct cl_{r.name} *v)', '{')
    for f in r.fields:
        if f.check(r):
            p(f'    assert({f.check(r)});')
    by_byte = {i: [] for i in range(r.first_byte, r.size_B)}
    for f in r.fields:
        p(f'    const uint32_t {f.name} = {f.encode()};')
        for byte, bit, bits, done in f.pieces(r.first_byte):
            term = f'{f.name} >> {done}' if done else f.name
            if bit:  # the cast to uint8_t drops the bits that belong to the next byte
                term = f'({term}) << {bit}' if done else f'{term} << {bit}'
            by_byte[byte].append(term)
    if r.is_packet:
        p(f'    out[0] = CL_{r.name.upper()}_ID;')
    for byte, terms in by_byte.items():
        p(f'    out[{byte}] = (uint8_t)({" | ".join(terms)});' if terms else f'    out[{byte}] = 0;')
    p('}', '')


def emit_unpack(p, r):
    p(f'void cl_{r.name}_unpack(const uint8_t *in, struct cl_{r.name} *out)', '{')
    for f in r.fields:
        terms = []
        for byte, bit, bits, done in f.pieces(r.first_byte):
            term = f'(uint32_t)in[{byte}]'
            if bit:
                term = f'{term} >> {bit}'
            if bit + bits < 8:
                term = f'({term} & {hex((1 << bits) - 1)}u)'
            terms.append(f'({term}) << {done}' if done else f'({term})')
        p(f'    const uint32_t {f.name} = {" | ".join(terms)};', f'    out->{f.name} = {f.decode(f.name)};')
    if not r.fields:
        p('    out->no_fields = 0;')
    p('}', '')


def emit_print(p, r):
    p(f'void cl_{r.name}_print(FILE *to, const struct cl_{r.name} *v)', '{', f'    fputs("{r.name}", to);')
    for f in r.fields:
        v = f'v->{f.name}'
        if f.enum:
            p(f'    fprintf(to, " {f.name}=%s", cl_{f.enum}_name({v}));')
        elif f.type == 'bool':
            p(f'    if ({v})', f'        fputs(" {f.name}", to);')
        elif f.type in ('float', 's12.4', 'f187'):
            p(f'    fprintf(to, " {f.name}=%.9g", (double){v});')
        elif f.type == 'address':
            p(f'    fprintf(to, " {f.name}=0x%08" PRIx32, {v});')
        else:
            p(f'    fprintf(to, " {f.name}=%" {"PRId32" if f.type == "int" else "PRIu32"}, {v});')
    p("    fputc('\\n', to);", '}', '')


def emit_source(out, enums, records):
    p = lambda *lines: out.writelines(line + '\n' for line in lines)
    p('/* SPDX-License-Identifier: MIT', ' *', ' * Control-list records, made by hw/cl_gen.py from hw/cl.xml.', ' */',
      '#include <inttypes.h>', '#include <math.h>', '#include "hw/cl_gen.h"', '')
    for name, e in enums.items():
        p(f'const char *cl_{name}_name(uint32_t value)', '{', '    switch (value) {')
        for v in e.findall('value'):
            p(f'    case {v.get("value")}:', f'        return "{v.get("name")}";')
        p('    default:', '        return "?";', '    }', '}', '')
    for r in records:
        emit_pack(p, r)
        emit_unpack(p, r)
        emit_print(p, r)
        p(f'static void {r.name}_print_bytes(FILE *to, const uint8_t *in)', '{', f'    struct cl_{r.name} v;',
          f'    cl_{r.name}_unpack(in, &v);', f'    cl_{r.name}_print(to, &v);', '}', '',
          f'static void {r.name}_repack(uint8_t *out, const uint8_t *in)', '{', f'    struct cl_{r.name} v;',
          f'    cl_{r.name}_unpack(in, &v);', f'    cl_{r.name}_pack(out, &v);', '}', '')
        if r.fields:
            p(f'static const struct cl_field_info {r.name}_fields[] = {{')
            for f in r.fields:
                is_float = 'true' if f.type in ('float', 'f187') else 'false'
                p(f'    {{"{f.name}", {f.start + 8 * r.first_byte}, {f.bits}, {is_float}}},')
            p('};', '')

    def info(r):
        fields = f'{r.name}_fields' if r.fields else 'NULL'
        return (f'{{"{r.name}", {r.size_B}, "{r.where}", {r.name}_print_bytes, {r.name}_repack, {fields}, '
                f'{len(r.fields)}}}')

    p('static const struct cl_packet_info packets[256] = {')
    for r in records:
        if r.is_packet:
            p(f'    [{r.id}] = {info(r)},')
    p('};', '', 'static const struct cl_packet_info structs[CL_STRUCT_COUNT] = {')
    for r in records:
        if not r.is_packet:
            p(f'    {info(r)},')
    p('};', '', 'const struct cl_packet_info *cl_packet_info(uint8_t id)', '{',
      '    return packets[id].name ? &packets[id] : NULL;', '}', '',
      'const struct cl_packet_info *cl_struct_info(uint32_t index)', '{',
      '    return index < CL_STRUCT_COUNT ? &structs[index] : NULL;', '}')


def main():
    source, header, code = sys.argv[1:]
    enums, records, comments = read(source)
    with open(header, 'w') as out:
        emit_header(out, enums, records, comments)
    with open(code, 'w') as out:
        emit_source(out, enums, records)


main()
