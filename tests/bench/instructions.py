#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# instructions.py BOUNDS DRAW COMPILER SHADER.spv TABLES.spv STORES.spv: counts the host instructions of a frame, of a
# compilation, and of those of programs with many accesses to a table of constants and with many independent stores, and
# fails if one exceeds its bound. This finds a slowdown on any machine, however busy. Counts with perf if the machine has
# an instruction counter, else with valgrind's callgrind, and skips if there is neither. Prints TAP.
#
# BOUNDS has lines of a name and a number of millions. A bound is about a tenth above the measured number; lower it when
# the code becomes faster.
import os, pathlib, re, shutil, subprocess, sys

ENVIRONMENT = dict(os.environ, VC4VK_CACHE='0', VC4VK_MODEL_THREADS='1', VC4VK_DEBUG='no-jit', VC4VK_HANG_MS='600000',
                   VKT_NO_VALIDATION='1', CMOCKA_MESSAGE_OUTPUT='TAP', VK_LOADER_LAYERS_DISABLE='~implicit~')
ENVIRONMENT.pop('MALLOC_PERTURB_', None)  # meson sets it: filling what is allocated and freed is not our work
LONG = 5  # frames of the longer run


def run(command):
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f'Bail out! {" ".join(map(str, command))}: {done.stdout}{done.stderr}')
    return done.stderr


def by_perf(command):
    found = re.search(r'^\s*([\d,.]+)\s+instructions', run(['perf', 'stat', '-e', 'instructions:u', *command]), re.M)
    return int(re.sub('[,.]', '', found[1])) if found else None


def by_callgrind(command):
    found = re.search(r'Collected : (\d+)', run(['valgrind', '--tool=callgrind', '--callgrind-out-file=/dev/null', *command]))
    return int(found[1]) if found else None


def find_counter():
    if shutil.which('perf'):
        probe = subprocess.run(['perf', 'stat', '-e', 'instructions:u', 'true'], capture_output=True, text=True)
        if probe.returncode == 0 and re.search(r'^\s*[\d,.]+\s+instructions', probe.stderr, re.M):
            return by_perf
    return by_callgrind if shutil.which('valgrind') else None


def main():
    bounds, draw, compiler, shader, tables, stores = sys.argv[1:]
    bounds = dict(line.split() for line in pathlib.Path(bounds).read_text().splitlines() if line and line[0] != '#')
    count = find_counter()
    if not count:
        print('1..0 # SKIP neither perf nor valgrind can count instructions here')
        return 0
    figures = {'frame': (count([draw, str(1 + LONG)]) - count([draw, '1'])) / LONG / 1e6,
               'compile': count([compiler, shader]) / 1e6,
               'tables': count([compiler, tables]) / 1e6,
               'stores': count([compiler, stores]) / 1e6}
    print(f'1..{len(figures)}')
    failures = 0
    for number, (name, millions) in enumerate(figures.items(), 1):
        bad = millions > float(bounds[name])
        failures += bad
        print(f'{"not ok" if bad else "ok"} {number} - {name}: {millions:.2f} million instructions, at most {bounds[name]}')
    return failures


if __name__ == '__main__':
    sys.exit(main())
