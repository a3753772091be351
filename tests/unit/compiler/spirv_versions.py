#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles a part of the corpus from SPIR-V 1.3, 1.5 and 1.6 (Vulkan 1.1, 1.2 and 1.3).

    spirv_versions.py VC4C COMPILE_SHADERS LIST

The programs must have the same statistics as those compiled from SPIR-V 1.0.

Each line of LIST names a source and its SPIR-V 1.0 module. Prints TAP.
"""
import os
import re
import subprocess
import sys
import tempfile

VC4C, COMPILE_SHADERS, LIST = sys.argv[1:4]


def stats(modules):
    emulator = os.environ.get('MESON_EXE_WRAPPER', '').split()  # runs programs of another processor
    run = subprocess.run([*emulator, VC4C, '--stats', *modules], capture_output=True, text=True)
    lines = re.sub(r' compile_us=\d+', '', run.stdout).splitlines()
    return lines, [re.sub(r'.*/', '', line) for line in run.stderr.splitlines()]


def compare(target, pairs, wanted):
    with tempfile.TemporaryDirectory() as folder:
        out = [os.path.join(folder, os.path.basename(module)) for _, module in pairs]
        jobs = [arg for (source, _), to in zip(pairs, out) for arg in ('--target-env', target, source, '-o', to)]
        subprocess.run([COMPILE_SHADERS, *jobs], check=True)
        got = stats(out)
    return [line for lists in zip(wanted, got) for line in sorted(set(lists[0]) ^ set(lists[1]))]


def main():
    with open(LIST) as f:
        pairs = [line.strip().split('\t') for line in f]
    # integer texels have new image operands; a few of the others are enough
    pairs = [p for i, p in enumerate(pairs) if '.asm.' not in p[0] and (i % 24 == 0 or re.search('tex.*_u?int', p[0]))]
    wanted = stats([module for _, module in pairs])
    targets, failed = ('vulkan1.1', 'vulkan1.2', 'vulkan1.3'), 0
    print(f'1..{len(targets)}')
    for number, target in enumerate(targets, 1):
        differ = compare(target, pairs, wanted)
        for line in differ:
            print(f'# {line}')
        print(f'{"not ok" if differ or not wanted[0] else "ok"} {number} - {len(pairs)} shaders for {target}')
        failed += bool(differ)
    return failed > 0


sys.exit(main())
