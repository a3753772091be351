#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# tools.py TOOL...: every tool answers --help with its usage on stdout and exit status 0, and wrong use with the usage on
# stderr and exit status 2. Prints TAP, one case per tool.
import os, pathlib, subprocess, sys

EMULATOR = os.environ.get('MESON_EXE_WRAPPER', '').split()  # runs programs of another processor


def run(tool, *arguments):
    done = subprocess.run([*EMULATOR, tool, *arguments], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


def faults(tool):
    usage = f'usage: {pathlib.Path(tool).name}'
    status, out, error = run(tool, '--help')
    if status != 0 or not out.startswith(usage) or error:
        yield f'--help: status {status}, output {out!r}, {error!r}'
    for text in out.split('\nlines:\n')[0].split('\n'):
        if len(text) > 120:
            yield f'--help: a line of {len(text)} characters: {text}'
    for arguments in (['--what'], ['--what', 'x'], ['one', 'two', '--what']):
        status, out, error = run(tool, *arguments)
        if status != 2 or out or "unrecognized option '--what'" not in error or usage not in error:
            yield f'{" ".join(arguments)}: status {status}, output {out!r}, {error!r}'
    status, out, error = run(tool, 'one', 'two', 'three', 'four')
    if pathlib.Path(tool).name != 'vc4c' and (status != 2 or out or usage not in error):
        yield f'four arguments: status {status}, output {out!r}, {error!r}'


print(f'1..{len(sys.argv) - 1}')
for number, tool in enumerate(sys.argv[1:], 1):
    found = list(faults(tool))
    print(*(f'# {fault}' for fault in found), sep='\n', end='\n' if found else '')
    print(f'{"not ok" if found else "ok"} {number} - {pathlib.Path(tool).name}')
