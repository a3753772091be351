#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# same_pictures.py PRELOAD PROGRAM...: runs API tests on the model inside the driver, on the DRM backend (with PRELOAD, the
# shim, in place of a kernel), and with the stress word, and compares every picture they read back byte for byte, by the
# hashes that the harness writes. Prints TAP, one case a program and comparison.
#
# same_pictures.py --host-code PROGRAM...: the same of interpreted programs, and of programs that are compiled for the
# least of this kind of host, for AVX2 and for all that this host has, with the texture unit's vectors alike. Buffers
# are compared, too. Compiling everything at once takes long: all programs with VKT_FUZZ=full (./run test --host-code),
# a few otherwise, or none with --full-only before the programs.
#
# same_pictures.py --threads PROGRAM...: the same of the model with one thread, and with two, three and eight, that render
# tiles, run programs of the CPU engine and copy; all programs with VKT_FUZZ=full, a few otherwise.
#
# same_pictures.py --solid PROGRAM...: the same where fragment programs of one colour run for every pixel; all programs with
# VKT_FUZZ=full, a few otherwise.
import os, subprocess, sys, tempfile

FEW = {'api_draw', 'api_texture', 'api_shader', 'api_state', 'api_compute'}
THREADED = FEW | {'api_copy', 'api_engine', 'api_samples', 'api_targets'}  # copies, resolves, jobs of the engine


def pictures(program, folder, variables):
    """What a program has read, a line each. PROGRAM,ARGUMENT is one with an argument."""
    path = os.path.join(folder, 'pictures')
    if os.path.exists(path):
        os.remove(path)
    run = subprocess.run(program.split(','), env=dict(os.environ, VKT_PICTURES=path, **variables),
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace')
    if run.returncode:
        return run.stdout.splitlines()[-20:], None
    if not os.path.exists(path):
        return (None, []) if 'VKT_BUFFERS' in variables else (['no picture was read'], None)
    with open(path) as lines:
        return None, lines.read().splitlines()


def name_of(program):
    return os.path.basename(program.split(',')[0])


def compare(expected, got):
    if len(expected) != len(got):
        yield f'{len(expected)} pictures expected, {len(got)} here'
    for number, (a, b) in enumerate(zip(expected, got), 1):
        if a != b:
            yield f'picture {number}: {a} expected, {b} here'


preload, programs = sys.argv[1], sys.argv[2:]
words = os.environ.get('VC4VK_DEBUG', '')
expected_setup = {'VC4VK_DEVICE': 'model'}
setups = {
    'DRM backend': {'VC4VK_DEVICE': 'drm', 'LD_PRELOAD': preload},
    'tiny jobs': {'VC4VK_DEVICE': 'model', 'VC4VK_DEBUG': words + ',tiny'},
}
if preload in ('--host-code', '--threads', '--solid') and os.environ.get('VKT_FUZZ') != 'full':
    if '--full-only' in programs:
        print('1..0 # SKIP with VKT_FUZZ=full only')
        sys.exit()
    few = THREADED if preload == '--threads' else FEW
    programs = [program for program in programs if name_of(program) in few]
programs = [program for program in programs if program != '--full-only']
if preload == '--threads':
    expected_setup['VC4VK_MODEL_THREADS'] = '1'
    setups = {f'{n} threads': {'VC4VK_DEVICE': 'model', 'VC4VK_MODEL_THREADS': n} for n in ('2', '3', '8')}
if preload == '--solid':
    setups = {'pixel by pixel': {'VC4VK_DEVICE': 'model', 'VC4VK_DEBUG': words + ',no-solid'}}
if preload == '--host-code':
    expected_setup['VC4VK_DEBUG'] = words + ',no-jit'
    setups = {name: {'VC4VK_DEVICE': 'model', 'VC4VK_DEBUG': words + ',jit-now' + word}
              for name, word in (('SSE2', ',jit-sse2'), ('AVX2', ',jit-avx2'), ('best', ''))}
print(f'1..{len(programs) * len(setups)}')
number, failed = 0, False
with tempfile.TemporaryDirectory() as folder:
    for program in programs:
        common = {'VKT_BUFFERS': '1'} if preload == '--host-code' else {}
        trouble, expected = pictures(program, folder, {**expected_setup, **common, 'VKT_KEEP_REFERENCE': folder})
        for name, variables in setups.items():
            variables = {**variables, **common, 'VKT_KEPT_REFERENCE': folder, 'VKT_NO_VALIDATION': '1'}
            number += 1
            found, count = trouble, 0
            if not found:
                found, got = pictures(program, folder, variables)
                if not found:
                    found, count = list(compare(expected, got)), len(got)
            failed |= bool(found)
            print(f'{"not ok" if found else "ok"} {number} - {name_of(program)}, {name}: {count} pictures')
            for line in found or []:
                print(f'# {line}')
sys.exit(failed)
