#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles all shaders of folders with the driver's compiler and prints a table of what became of them.

    folder.py VC4C COMPILE_SHADERS [OPTION...] FOLDER...

Takes SPIR-V (.spv), its assembly (any text with OpCapability), and GLSL and HLSL whose names say the stage: x.frag,
x.frag.glsl, x.vert.hlsl. GLSL is compiled by glslang's library, at first as Vulkan's, then as OpenGL's
(compile_shaders --relax); HLSL by glslangValidator. Sources that do not compile are counted and not judged. With
--variants every module is judged three times: as it is, and after spirv-opt -O and -Os.

    --out FOLDER     where modules and report.tsv go (default: a temporary folder)
    --variants       also judge what spirv-opt makes of each module
    --slow SECONDS   processor time from which a compilation counts as slow (default: 2)
    --hang SECONDS   time after which a compilation is ended (default: 120)
    --tolerate       exit with 0 whatever was found

report.tsv has a line for each module: class, microseconds, instructions, source, message. A class is one of CLASSES.
"""
import argparse
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

STAGES = ('vert', 'tesc', 'tese', 'geom', 'frag', 'comp', 'task', 'mesh')
OTHER_STAGES = ('rgen', 'rchit', 'rahit', 'rmiss', 'rint', 'rcall')
MODELS = {0: 'vert', 1: 'tesc', 2: 'tese', 3: 'geom', 4: 'frag', 5: 'comp', 5364: 'task', 5365: 'mesh'} # of OpEntryPoint
CLASSES = {
    'chip': 'the chip runs all programs',
    'compute': 'compute, tessellation, geometry, task and mesh, which always run on the CPU engine',
    'CPU: memory': 'graphics that stores, has atomics, or needs scratch memory',
    'CPU: size': 'graphics that needs more registers or varyings than the chip has',
    'named': 'refused because of a capability, mode or limit that the driver does not report; the message names it',
    'other stage': 'has only stages that the driver does not report, or no entry point (a library)',
    'invalid': 'refused, and spirv-val refuses it as well',
    'refused': 'refused, although spirv-val takes it',
    'slow': 'compiled, but took longer than --slow',
    'crash': 'ended by a signal',
    'hang': 'took longer than --hang',
}
DEFECTS = ('refused', 'slow', 'crash', 'hang')
NAMED = re.compile(r'not supported: (capability|execution mode|OpCapability)|of \d\d-bit floats|the limits? (is|are)|'
                   r'OpImageSparse|with index 1|the instruction set|built-in \w+ is not supported|attribute at location')
MEMORY = 'which only the CPU engine supports'
BATCH = 40


def options():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('vc4c')
    parser.add_argument('compile_shaders')
    parser.add_argument('folders', nargs='+', type=pathlib.Path)
    parser.add_argument('--out', type=pathlib.Path)
    parser.add_argument('--variants', action='store_true')
    parser.add_argument('--slow', type=float, default=2)
    parser.add_argument('--hang', type=float, default=120)
    parser.add_argument('--tolerate', action='store_true')
    return parser.parse_args()


# ---------------------------------------------------------------- sources

class Shader:
    def __init__(self, path, kind, stage=None):
        self.path, self.kind, self.stage = path, kind, stage
        self.module = None # its SPIR-V


def stage_of(path):
    parts = path.name.split('.')[1:]
    known = [p for p in parts if p in STAGES + OTHER_STAGES]
    return known[-1] if known and parts[-1] in (known[-1], 'glsl', 'hlsl') else None


def find(folder):
    """The shaders of a folder, in order."""
    for path in sorted(p for p in folder.rglob('*') if p.is_file()):
        if path.suffix == '.spv':
            yield Shader(path, 'spirv')
            continue
        stage = stage_of(path)
        if not stage and path.suffix not in ('.spvasm', '.asm'):
            continue
        text = path.read_text(errors='replace')
        if re.search(r'^\s*OpCapability\s', text, re.M):
            yield Shader(path, 'assembly')
        elif stage in STAGES:
            yield Shader(path, 'hlsl' if path.suffix == '.hlsl' else 'glsl', stage)


def expanded(path, depth=0):
    """The text of a GLSL file with its #include "..." replaced by what they name."""
    def included(match):
        other = path.parent / match[1]
        return expanded(other, depth + 1) if depth < 16 and other.is_file() else match[0]
    text = re.sub(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">].*$', included, path.read_text(errors='replace'), flags=re.M)
    return re.sub(r'^[ \t]*#[ \t]*extension[ \t]+GL_GOOGLE_include_directive.*$|\r', '', text, flags=re.M)


def run(command, patience=None):
    """Exit status, None after `patience`; output; errors."""
    try:
        done = subprocess.run([str(c) for c in command], capture_output=True, timeout=patience)
    except subprocess.TimeoutExpired:
        return None, '', ''
    return done.returncode, done.stdout.decode(errors='replace'), done.stderr.decode(errors='replace')


def compile_glsl(compile_shaders, shaders, out):
    for flags in ([], ['--relax']):
        rest = [s for s in shaders if not out(s).exists()]
        for i in range(0, len(rest), BATCH):
            jobs = []
            for s in rest[i:i + BATCH]:
                source = out(s).with_suffix('.' + s.stage)
                if not source.exists():
                    source.write_text(expanded(s.path))
                jobs += ['--target-env', 'vulkan1.3', *flags, '-S', s.stage, source, '-o', out(s)]
            if run([compile_shaders, *jobs])[0] not in (0, 1): # one of them ends glslang
                for j in range(0, len(jobs), len(jobs) // len(rest[i:i + BATCH])):
                    run([compile_shaders, *jobs[j:j + len(jobs) // len(rest[i:i + BATCH])]])


def compile_others(shaders, out):
    for s in shaders:
        if s.kind == 'spirv':
            out(s).write_bytes(s.path.read_bytes())
        elif s.kind == 'hlsl':
            run(['glslangValidator', '-D', '-V', '--target-env', 'vulkan1.1', '--auto-map-bindings', '--auto-map-locations',
                 '-S', s.stage, '-e', 'main', s.path, '-o', out(s)], 60)
        elif s.kind == 'assembly':
            for version in ('spv1.0', 'spv1.3', 'spv1.5', 'spv1.6'):
                if run(['spirv-as', '--target-env', version, s.path, '-o', out(s)])[0] == 0:
                    break


def variants(shaders, out):
    more = []
    for s in shaders:
        for flag in ('-O', '-Os'):
            v = Shader(pathlib.Path(f'{s.path} ({flag})'), s.kind, s.stage)
            v.module = out(v)
            if run(['spirv-opt', flag, s.module, '-o', v.module], 60)[0] == 0:
                more.append(v)
    return more


# ---------------------------------------------------------------- judging

def entries(module):
    """Name and stage of the entry points; empty if it is no SPIR-V."""
    data = module.read_bytes()
    words, at, found = struct.unpack(f'<{len(data) // 4}I', data[:len(data) // 4 * 4]), 5, []
    while at < len(words) and words[at] >> 16:
        count = words[at] >> 16
        if words[at] & 0xffff == 15:
            name = struct.pack(f'<{len(words[at + 3:at + count])}I', *words[at + 3:at + count]).split(b'\0')[0]
            found.append((name.decode(errors='replace'), MODELS.get(words[at + 1])))
        at += count
    return found


class Judge:
    def __init__(self, o):
        self.o = o

    def compile(self, name, modules):
        command = [self.o.vc4c, '--stats', '--engine', 'any', '--entry', name, *modules]
        return run(command, self.o.hang * (1 + len(modules) / 10))

    def judge(self, shaders):
        """(class, us, instructions, message) of each shader."""
        results, groups = {}, {}
        for s in shaders:
            found = entries(s.module)
            if s.module.stat().st_size > 20 and not any(stage for _, stage in found):
                results[s] = ('other stage', 0, 0, '')
            else:
                ours = [name for name, stage in found if stage]
                groups.setdefault('main' if 'main' in ours or not ours else ours[0], []).append(s)
        for name, group in groups.items():
            for i in range(0, len(group), BATCH):
                self.batch(name, group[i:i + BATCH], results)
        return results

    def batch(self, name, group, results):
        status, out, errors = self.compile(name, [s.module for s in group])
        if status not in (0, 1) and len(group) > 1:
            for s in group:
                self.batch(name, [s], results)
            return
        for s in group:
            lines = [l for l in out.splitlines() if l.startswith(s.module.stem + ' ')]
            mine = [l.split(f'{s.module}: ', 1)[1] for l in errors.splitlines() if f' {s.module}: ' in l]
            us = sum(int(n) for l in lines for n in re.findall(r'compile_us=(\d+)', l))
            count = sum(int(n) for l in lines for n in re.findall(r'inst=(\d+)', l))
            refusals = [m for m in mine if not m.startswith('for the CPU engine: ')]
            message = (refusals or mine or [''])[0]
            results[s] = (self.class_of(s, status, lines, refusals, mine, us), us, count, message)

    def class_of(self, s, status, lines, refusals, mine, us):
        if status is None:
            return 'hang'
        if status not in (0, 1):
            return 'crash'
        if refusals or not lines:
            if any(NAMED.search(m) for m in refusals):
                return 'named'
            return 'invalid' if run(['spirv-val', '--target-env', 'vulkan1.3', s.module])[0] else 'refused'
        if us > self.o.slow * 1e6:
            return 'slow'
        if any(MEMORY in m for m in mine):
            return 'CPU: memory'
        if mine:
            return 'CPU: size'
        return 'compute' if any(' comp ' in l for l in lines) else 'chip'


# ---------------------------------------------------------------- main

def report(folder, results, lost, print_head):
    counts = {c: sum(r[0] == c for r in results.values()) for c in CLASSES}
    slowest = max(results.values(), key=lambda r: r[1], default=('', 0, 0, ''))
    times = sorted(r[1] for r in results.values() if r[1])
    columns = ['modules', *CLASSES, 'median ms', 'slowest ms', 'no SPIR-V']
    if print_head:
        print('| corpus | ' + ' | '.join(columns) + ' |\n' + '|---|' + '---:|' * len(columns))
    values = [len(results), *counts.values(), f'{times[len(times) // 2] / 1000:.1f}' if times else '-',
              f'{slowest[1] / 1000:.0f}', lost]
    print(f'| {folder.name} | ' + ' | '.join(str(v) for v in values) + ' |', flush=True)
    return sum(counts[c] for c in DEFECTS)


def judge_folder(o, folder, out_folder, print_head):
    out_folder.mkdir(parents=True, exist_ok=True)
    numbers = {}
    out = lambda s: out_folder / f'{numbers.setdefault(s, len(numbers)):05}.spv'
    shaders = list(find(folder))
    compile_glsl(o.compile_shaders, [s for s in shaders if s.kind == 'glsl'], out)
    compile_others([s for s in shaders if s.kind != 'glsl'], out)
    made = [s for s in shaders if out(s).exists()]
    for s in made:
        s.module = out(s)
    if o.variants:
        made += variants(made, out)
    results = Judge(o).judge(made)
    with open(out_folder / 'report.tsv', 'w') as f:
        for s, (kind, us, count, message) in results.items():
            f.write(f'{kind}\t{us}\t{count}\t{s.path}\t{s.module.name}\t{message}\n')
    defects = report(folder, results, len(shaders) - sum(out(s).exists() for s in shaders), print_head)
    for s, (kind, us, _, message) in results.items():
        if kind in DEFECTS:
            print(f'{kind}: {s.path} ({us / 1e6:.1f} s): {message}', file=sys.stderr)
    return defects


def main():
    o = options()
    with tempfile.TemporaryDirectory() as scratch:
        defects = 0
        for i, folder in enumerate(o.folders):
            out = (o.out or pathlib.Path(scratch)) / folder.name
            defects += judge_folder(o, folder, out, i == 0)
    return 1 if defects and not o.tolerate else 0


if __name__ == '__main__':
    sys.exit(main())
