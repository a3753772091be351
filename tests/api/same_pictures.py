#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# Runs API tests in several configurations and checks that every image they read back is the same, byte for byte. The
# harness writes a hash of each image to the file that VKT_PICTURES names, and this script compares the hashes. Prints
# TAP, one case per program and configuration.
#
# same_pictures.py PRELOAD --driver DRIVER PROGRAM...: compares the model inside the driver with the DRM backend (on
# PRELOAD, the shim, instead of a kernel), and with the debug word "tiny". A program that has noted its pictures in all
# three, since it and DRIVER were built, does not run again: `meson test` runs it in the suites api, api-drm and api-tiny.
#
# same_pictures.py --host-code PROGRAM...: compares interpreted QPU programs with programs compiled for the baseline of
# the host's architecture (SSE2), for AVX2, and for all that this host has; the texture unit uses the same vector
# extension. Compares buffers, too. Compiling everything takes long: runs all programs with VKT_FUZZ=full (./run test
# --host-code), a few otherwise, or none with --full-only before the programs.
#
# same_pictures.py --threads PROGRAM...: compares one thread of the model with two, three and eight threads, which
# render tiles, run programs of the CPU engine and copy. Runs all programs with VKT_FUZZ=full, a few otherwise.
#
# same_pictures.py --solid PROGRAM...: compares the fast path for fragment programs of one colour with running them for
# every pixel. Runs all programs with VKT_FUZZ=full, a few otherwise.
import os, subprocess, sys, tempfile

LEAVES_OUT = {'api_lines', 'api_pipeline_library'}  # cases that a validation layer would not survive: all its runs go without one
QUICK = {'api_draw', 'api_texture', 'api_shader', 'api_state', 'api_compute'}
QUICK_THREADED = QUICK | {'api_copy', 'api_engine', 'api_samples', 'api_targets'}  # copies, resolves, CPU engine


def pictures(program, folder, variables):
    """Runs a program, given as PROGRAM or PROGRAM,ARGUMENT. Returns (None, a line for each picture it has read), or
    (the output of the failed run, None)."""
    path = os.path.join(folder, 'pictures')
    if os.path.exists(path):
        os.remove(path)
    run = subprocess.run(program.split(','), env=dict(os.environ, VKT_PICTURES=path, **variables),
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace')
    if run.returncode:
        return run.stdout.splitlines()[-20:], None
    if not os.path.exists(path):
        return (None, []) if 'VKT_BUFFERS' in variables else (['the program read no picture back'], None)
    with open(path) as lines:
        return None, lines.read().splitlines()


def noted_pictures(program):
    """{configuration: a line for each picture} of a program that has noted them since it and the driver were built, in
    every configuration; otherwise None."""
    noted = {}
    for setup, suffix in noted_as.items():
        path = os.path.join(os.environ.get('VKT_OUT', 'tests-out'), 'pictures', f'{name_of(program)}.{suffix}')
        if not os.path.exists(path) or os.path.getmtime(path) <= max(os.path.getmtime(program), os.path.getmtime(driver)):
            return None
        with open(path) as lines:
            noted[setup] = lines.read().splitlines()
    return noted if noted[None] else None


def name_of(program):
    return os.path.basename(program.split(',')[0])


def compare(expected, got):
    if len(expected) != len(got):
        yield f'expected {len(expected)} pictures, got {len(got)}'
    for number, (a, b) in enumerate(zip(expected, got), 1):
        if a != b:
            yield f'picture {number}: expected {a}, got {b}'


preload, programs = sys.argv[1], sys.argv[2:]
words = os.environ.get('VC4VK_DEBUG', '')
expected_setup = {'VC4VK_DEVICE': 'model'}
setups = {
    'DRM backend': {'VC4VK_DEVICE': 'drm', 'LD_PRELOAD': preload},
    'tiny jobs': {'VC4VK_DEVICE': 'model', 'VC4VK_DEBUG': words + ',tiny'},
}
noted_as = {None: 'model', 'DRM backend': 'drm', 'tiny jobs': 'tiny'}
driver = None
if programs and programs[0] == '--driver':
    driver, programs = programs[1], programs[2:]
if preload in ('--host-code', '--threads', '--solid') and os.environ.get('VKT_FUZZ') != 'full':
    if '--full-only' in programs:
        print('1..0 # SKIP with VKT_FUZZ=full only')
        sys.exit()
    quick = QUICK_THREADED if preload == '--threads' else QUICK
    programs = [program for program in programs if name_of(program) in quick]
programs = [program for program in programs if program != '--full-only']
if preload == '--threads':
    expected_setup['VC4VK_MODEL_THREADS'] = '1'
    setups = {f'{n} threads': {'VC4VK_DEVICE': 'model', 'VC4VK_MODEL_THREADS': n} for n in ('2', '3', '8')}
if preload == '--solid':
    setups = {'pixel by pixel': {'VC4VK_DEVICE': 'model', 'VC4VK_DEBUG': words + ',no-solid'}}
if preload == '--host-code':
    expected_setup['VC4VK_DEBUG'] = words + ',no-jit'
    setups = {name: {'VC4VK_DEVICE': 'model', 'VC4VK_DEBUG': words + ',jit-now' + word}
              for name, word in (('SSE2', ',jit-sse2'), ('AVX2', ',jit-avx2'), ('best', ''), ('pieces', ',jit-pieces'))
              if name != 'pieces' or os.environ.get('VKT_FUZZ') == 'full'}
print(f'1..{len(programs) * len(setups)}')
number, failed = 0, False
with tempfile.TemporaryDirectory() as folder:
    for program in programs:
        common = {'VKT_BUFFERS': '1'} if preload == '--host-code' else {}
        if name_of(program) in LEAVES_OUT:
            common['VKT_NO_VALIDATION'] = '1'
        noted = noted_pictures(program) if driver else None
        if noted:
            trouble, expected = None, noted[None]
        else:
            trouble, expected = pictures(program, folder, {**expected_setup, **common, 'VKT_KEEP_REFERENCE': folder})
        for name, variables in setups.items():
            variables = {**variables, **common, 'VKT_KEPT_REFERENCE': folder, 'VKT_NO_VALIDATION': '1'}
            number += 1
            found, count = trouble, 0
            if not found:
                found, got = (None, noted[name]) if noted else pictures(program, folder, variables)
                if not found:
                    found, count = list(compare(expected, got)), len(got)
            failed |= bool(found)
            print(f'{"not ok" if found else "ok"} {number} - {name_of(program)}, {name}: {count} {"noted " if noted else ""}pictures')
            for line in found or []:
                print(f'# {line}')
sys.exit(failed)
