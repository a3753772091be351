#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""same.py PRELOAD IOCTLS CALLS [SEED]...: runs `ioctls` under the shim, which is to be preloaded, twice with each seed.

The logs must be the same, and each must hold many kinds of calls and of results, good and bad: a program that does little
would agree with itself, too.
"""
import collections
import os
import subprocess
import sys

import compare

WANTED_CALLS, WANTED_RESULTS, WANTED_GOOD = 40, 90, 28
# Each of these must be seen to succeed and to fail.
BOTH = ('SUBMIT_CL CREATE_BO CREATE_SHADER_BO MMAP_BO mmap GEM_CLOSE SET_TILING GET_TILING LABEL_BO GEM_MADVISE WAIT_BO '
        'GET_PARAM PERFMON_CREATE PERFMON_DESTROY PERFMON_GET_VALUES PRIME_HANDLE_TO_FD PRIME_FD_TO_HANDLE SYNCOBJ_CREATE '
        'SYNCOBJ_DESTROY SYNCOBJ_HANDLE_TO_FD SYNCOBJ_FD_TO_HANDLE SYNCOBJ_WAIT SYNCOBJ_RESET SYNCOBJ_SIGNAL '
        'DMA_BUF_EXPORT_SYNC_FILE SYNC_FILE_INFO SYNC_MERGE').split()


def run(preload, program, calls, seed):
    command = [program, '--seed', seed, '--count', calls]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, timeout=600,
                          env={**os.environ, 'LD_PRELOAD': preload}).stdout.decode()


def check(log):
    """What is wrong with a log, or None."""
    seen = collections.defaultdict(set)
    for text in log.splitlines():
        match = compare.LINE.match(text)
        if match:
            seen[match.group(3)].add(match.group(6))
    results = sum(len(of_call) for of_call in seen.values())
    good = sum('0' in of_call for of_call in seen.values())
    print(f'# {len(seen)} calls, {results} results, {good} calls succeeded')
    if not log.endswith('end\n'):
        return 'the log has no end'
    if len(seen) < WANTED_CALLS or results < WANTED_RESULTS or good < WANTED_GOOD:
        return f'wanted {WANTED_CALLS}, {WANTED_RESULTS} and {WANTED_GOOD} of them'
    for name in BOTH:
        if '0' not in seen[name] or len(seen[name]) < 2:
            return f'{name}: only {sorted(seen[name])}'
    return None


def main():
    *command, seeds = *sys.argv[1:4], sys.argv[4:]
    print(f'1..{len(seeds)}')
    failed = False
    for number, seed in enumerate(seeds, 1):
        first, second = run(*command, seed), run(*command, seed)
        wrong = check(first)
        if not wrong and first != second:
            pairs = zip(first.splitlines(), second.splitlines())
            wrong = 'the logs differ: ' + next((f'{a}\n# {b}' for a, b in pairs if a != b), 'in length')
        failed = failed or bool(wrong)
        print(f'{"not ok" if wrong else "ok"} {number} - seed {seed}' + (f'\n# {wrong}' if wrong else ''), flush=True)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
