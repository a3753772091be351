#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests the offline compiler: its output, messages and exit status, and the instruction counts of known programs.

    vc4c_tool.py VC4C COMPILE_SHADERS CORPUS_LIST SHADERS

SHADERS is the folder of the programs whose instructions are counted (tests/unit/compiler/compared). Prints TAP.
"""
import os
import re
import subprocess
import sys
import tempfile

VC4C, COMPILE_SHADERS, LIST, SHADERS = sys.argv[1:5]
LINE = re.compile(r'(\S+) (coord|vert|frag|comp) (\S+) inst=(\d+) threads=([12]) uniforms=(\d+) tmu=(\d+) regs=(\d+) '
                  r'cycles=(\d+) compile_us=(\d+)$')
# The maximum number of instructions, and the number of threads if two are required. The table is in
# tests/unit/compiler/compared/README.md.
BOUNDS = {
    ('gouraud.vert', 'vert'): (72, None), ('gouraud.vert', 'coord'): (36, None), ('pass.frag', 'frag'): (12, None),
    ('phong.vert', 'vert'): (66, None), ('phong.vert', 'coord'): (36, None), ('phong.frag', 'frag'): (98, 2),
    ('blur.frag', 'frag'): (86, 2), ('quad.vert', 'vert'): (16, None), ('quad.vert', 'coord'): (16, None),
}


def vc4c(*args):
    emulator = os.environ.get('MESON_EXE_WRAPPER', '').split()  # runs programs of another processor
    run = subprocess.run([*emulator, VC4C, *args], capture_output=True, text=True)
    return run.returncode, run.stdout.splitlines(), run.stderr


def module(name):
    with open(LIST) as f:
        return next(line.split('\t')[1].strip() for line in f if f'/{name}\t' in line)


def compile_glsl(sources, *options):
    jobs = [arg for source in sources for arg in (*options, source, '-o', source + '.spv')]
    subprocess.run([COMPILE_SHADERS, *jobs], check=True)


def lines():
    status, out, _ = vc4c('--stats', module('vs_varying.vert'), module('tex_2d.frag'))
    assert status == 0 and len(out) == 3, out
    rows = [LINE.match(line) for line in out]
    assert all(rows), out
    assert [r.group(1, 2, 3) for r in rows] == [('vs_varying.vert', 'vert', 'default'), ('vs_varying.vert', 'coord', 'default'),
                                                ('tex_2d.frag', 'frag', 'default')], out
    assert rows[2].group(7) == '1', 'one lookup'
    again = vc4c('--stats', module('tex_2d.frag'))[1]
    assert re.sub(r'compile_us=.*', '', again[0]) == re.sub(r'compile_us=.*', '', out[2]), 'not stable'


def prints():
    status, out, _ = vc4c('--print', 'qpu', module('arith_mad.frag'))
    assert status == 0 and not LINE.match(out[-1]) and any(line.endswith('; end') for line in out), out
    status, out, _ = vc4c('--print', 'ir', '--stats', module('arith_mad.frag'))
    assert status == 0 and any('shader fragment' in line for line in out) and LINE.match(out[-1]), out


def stages():
    status, out, _ = vc4c('--stats', '--stage', 'frag', module('tex_2d.frag'))
    assert status == 0 and len(out) == 1, out
    status, out, error = vc4c('--stats', '--stage', 'vert', module('tex_2d.frag'))
    assert status == 1 and not out and 'no entry point' in error, error


def bad_modules():
    with open(module('arith_mad.frag'), 'rb') as f:
        words = f.read()
    with tempfile.TemporaryDirectory() as folder:
        bad = os.path.join(folder, 'bad.spv')
        for name, data in (('cut off', words[:len(words) // 8 * 4]), ('no magic', b'\0' * 64), ('empty', b''),
                           ('odd size', words[:-2])):
            with open(bad, 'wb') as f:
                f.write(data)
            status, out, error = vc4c('--stats', bad)
            assert status == 1 and not out and 'bad.spv' in error, (name, status, out, error)
        with open(bad, 'wb') as f: # turns the first OpLabel into an OpBranch to a missing label
            damaged = bytearray(words)
            at = next(i for i in range(20, len(words), 4) if words[i:i + 4] == (2 << 16 | 248).to_bytes(4, sys.byteorder))
            damaged[at:at + 4] = (2 << 16 | 249).to_bytes(4, sys.byteorder)
            f.write(damaged)
        status, out, error = vc4c('--stats', bad)
        assert status == 1 and re.search(r'\(word [1-9][0-9]*\)', error), error
        status, out, error = vc4c('--stats', bad, module('arith_mad.frag'))
        assert status == 1 and len(out) == 1, 'a bad module must not keep the good one from compiling'
    assert vc4c('--stats', '/nonexistent.spv')[0] == 1


def engines():
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, 'store.frag')
        with open(source, 'w') as f:
            f.write('#version 450\nlayout(set = 0, binding = 0) buffer B { vec4 b; };\nlayout(location = 0) out vec4 o;\n'
                    'void main()\n{\n    b = vec4(gl_FragCoord.x);\n    o = vec4(1.0);\n}\n')
        compile_glsl([source])
        status, out, error = vc4c('--stats', source + '.spv')
        assert status == 1 and not out, 'the chip cannot store'
        status, out, error = vc4c('--stats', '--engine', 'any', source + '.spv', module('tex_2d.frag'))
        assert status == 0 and [LINE.match(line).group(3) for line in out] == ['cpu', 'default'], out
        assert 'store.frag.spv: for the CPU engine: ' in error, error
    status, out, error = vc4c('--stats', '--entry', 'other', module('tex_2d.frag'))
    assert status == 1 and not out and 'no entry point "other"' in error, error


def specialisation():
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, 'spec.frag')
        with open(source, 'w') as f:
            f.write('#version 450\nlayout(constant_id = 7) const int n = 0;\nlayout(location = 0) in vec4 v;\n'
                    'layout(location = 0) out vec4 o;\nvoid main()\n{\n    o = n == 16 ? sin(cos(v) * v) : vec4(1.0);\n}\n')
        compile_glsl([source])
        count = [int(LINE.match(vc4c('--stats', *args, source + '.spv')[1][0]).group(4))
                 for args in ([], ['--spec', '7=0x10'], ['--spec', '8=16'], ['--spec', '7=15'])]
    assert count[1] > count[0] == count[2] == count[3], count


def many_words_and_ifs():
    """16,000 words of variables and 4,400 ifs: memory for each if must not grow with the number of words."""
    ifs = ' '.join(f'if (v.x >= {n}.0) {{ a[{n}][0][0] = v.x + 1.0; b[{n}][1][1] = v.x; }}' for n in range(110))
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, 'ifs.frag')
        with open(source, 'w') as f:
            f.write('#version 450\nlayout(location = 0) in vec4 v;\nlayout(location = 0) out vec4 o;\n'
                    f'mat4 a[250], b[250], c[250], d[250];\nvoid more()\n{{\n    {ifs}\n}}\n'
                    f'void main()\n{{\n    a[0][0][0] = c[249][3][3] = d[249][3][3] = 1.0;\n    {"more(); " * 40}\n'
                    '    o = vec4(a[0][0][0], b[0][1][1], c[249][3][3], d[249][3][3]);\n}\n')
        compile_glsl([source])
        status, out, error = vc4c('--stats', source + '.spv')
        assert status == 0, error


def nested_structs():
    """A number in the innermost of 250 structs."""
    structs = ' '.join(f'struct S{k} {{ S{k - 1} m; }};' for k in range(1, 250))
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, 'nested.frag')
        with open(source, 'w') as f:
            f.write('#version 450\nlayout(location = 0) in float v;\nlayout(location = 0) out vec4 o;\n'
                    f'struct S0 {{ float x; }};\n{structs}\nlayout(set = 0, binding = 0) uniform B {{ S249 of_block; }};\n'
                    f'void main()\n{{\n    S249 s = of_block;\n    s{".m" * 249}.x += v;\n    o = vec4(s{".m" * 249}.x);\n}}\n')
        compile_glsl([source])
        status, out, error = vc4c('--stats', source + '.spv')
        assert status == 0 and len(out) == 1, error


def usage():
    for args in ([], ['--stats'], ['--print', 'all', 'x'], ['--engine', 'gpu', 'x'], ['--what', 'x'], ['--spec', '1', 'x'],
                 ['--spec', '=1', 'x'], ['--spec', '1=1x', 'x'], ['--spec', '1=', 'x'], ['--spec', '1=1'] * 70 + ['x']):
        status, out, error = vc4c(*args)
        assert status == 2 and 'usage' in error, args


def counts(folder, precision):
    got = {}
    with tempfile.TemporaryDirectory() as scratch:
        sources = []
        for name in sorted({name for name, _ in BOUNDS}):
            with open(os.path.join(SHADERS, name)) as f:
                text = f.read()
            sources.append(os.path.join(scratch, name))
            with open(sources[-1], 'w') as f:
                f.write(text.replace('mediump', 'highp') if precision == 'highp' else text)
        compile_glsl(sources)
        for source in sources:
            status, out, error = vc4c('--stats', source + '.spv')
            assert status == 0, error
            for row in map(LINE.match, out):
                got[row.group(1, 2)] = int(row.group(4)), int(row.group(5))
    return got


def instruction_counts():
    ours, highp = counts(SHADERS, 'as asked'), counts(SHADERS, 'highp')
    worse = []
    for program, (bound, threads) in BOUNDS.items():
        inst, ours_threads = ours[program]
        print(f'# {" ".join(program)}: {inst} of {bound}, {ours_threads} threads; highp {highp[program][0]}')
        if inst > bound or (threads and ours_threads < threads):
            worse.append(program)
    assert not worse, worse


# Accesses to a table of 256 vec4 in a fragment program: the maximum number of instructions on the chip.
TABLES = {1: 26, 50: 1100, 200: 4500}


def table_counts():
    table = ', '.join(f'vec4({i}.0, {255 - i}.5, {i * i % 251}.0, {i % 7}.25)' for i in range(256))
    with tempfile.TemporaryDirectory() as scratch:
        sources = [os.path.join(scratch, f'table_{accesses}.frag') for accesses in TABLES]
        for source, accesses in zip(sources, TABLES):
            sums = '\n'.join(f'    s = s * 0.97 + t[(i * {2 * k + 1}u + {k * 7 % 251}u) & 255u];' for k in range(accesses))
            with open(source, 'w') as f:
                f.write('#version 450\nlayout(location = 0) flat in uint i;\nlayout(location = 0) out vec4 o;\n'
                        f'const vec4 t[256] = vec4[]({table});\nvoid main()\n{{\n    vec4 s = vec4(0.0);\n{sums}\n    o = s;\n}}\n')
        compile_glsl(sources)
        for source, (accesses, bound) in zip(sources, TABLES.items()):
            status, out, error = vc4c('--stats', source + '.spv')
            assert status == 0 and len(out) == 1, error
            row = LINE.match(out[0])
            print(f'# {accesses} accesses to a table: {row.group(4)} instructions of {bound}')
            assert row.group(3) == 'default', 'for the CPU engine'
            assert int(row.group(4)) <= bound and int(row.group(5)) == 2 and int(row.group(7)) == 4 * accesses, out[0]
            compile_glsl([source], '-gVS')
            debug = LINE.match(vc4c('--stats', source + '.spv')[1][0])
            assert debug.group(4) == row.group(4), f'{debug.group(4)} instructions with debug information'


def main():
    tests = [lines, prints, stages, bad_modules, engines, specialisation, many_words_and_ifs, nested_structs, usage,
             instruction_counts, table_counts]
    failed = 0
    print(f'1..{len(tests)}')
    for number, test in enumerate(tests, 1):
        try:
            test()
            print(f'ok {number} - {test.__name__}')
        except AssertionError as why:
            failed += 1
            print(f'not ok {number} - {test.__name__}\n# {why}')
    return failed > 0


sys.exit(main())
