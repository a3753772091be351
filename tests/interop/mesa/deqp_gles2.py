#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# Runs dEQP-GLES2 with Mesa's unmodified vc4 driver on the DRM shim and compares each result with Mesa's record of a
# Raspberry Pi 3 (see silicon.py). Builds nothing and contains no list of cases. Crashes and hangs of the test program
# are results; the remaining cases run in a new process.
#
#   deqp_gles2.py --deqp BINARY --mesa PREFIX --lists DIR --build DIR [--cases FILE] [--every N] [--first I]
#                 [--match REGEX] [--results FILE]
#
# --mesa is the prefix that Mesa was installed to, --lists the folder of the record, --build a build folder of this
# tree. --cases is a list of names, one a line; the record was made with aosp_mustpass/3.2.6.x/gles2-master.txt of
# VK-GL-CTS. Without it all functional cases of the binary run. --every N runs each N-th case, beginning with the I-th.
# The table and then the cases that disagree go to stdout; each result is appended to --results as it arrives. Exits
# with 1 when fewer than 99 % agree.
import argparse
import os
import pathlib
import re
import select
import subprocess
import sys
import tempfile
import time

import silicon

CASES_PER_PROCESS = 200
SILENCE_S = 120  # a process without output for this long has hung
GOAL_PERCENT = 99.0

OPTIONS = ['--deqp-surface-width=256', '--deqp-surface-height=256', '--deqp-surface-type=pbuffer',
           '--deqp-gl-config-name=rgba8888d24s8ms0', '--deqp-visibility=hidden', '--deqp-log-images=disable',
           '--deqp-log-shader-sources=disable']
# dEQP's names of results, and the record's.
PASSED = {'Pass': 'Pass', 'Waiver': 'Pass', 'NotSupported': 'Skip', 'QualityWarning': 'Warn',
          'CompatibilityWarning': 'Warn'}


def command(args, log, *more):
    return [str(args.deqp), f'--deqp-log-filename={log}', *OPTIONS, *more]


def all_cases(args, env, scratch):
    """The functional cases of the binary, which writes the list into its working directory."""
    subprocess.run(command(args, scratch / 'list.qpa', '--deqp-runmode=txt-caselist'), cwd=scratch, env=env,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    text = (scratch / 'dEQP-GLES2-cases.txt').read_text()
    return re.findall(r'^TEST: (dEQP-GLES2\.(?:functional|capability)\.\S+)', text, re.M)


def said_lines(process):
    """Yields the lines that a process writes until it ends. Kills it when it is silent for too long."""
    rest = b''
    while True:
        if not select.select([process.stdout], [], [], SILENCE_S)[0]:
            process.kill()
            return
        data = os.read(process.stdout.fileno(), 65536)
        if not data:
            return
        *lines, rest = (rest + data).split(b'\n')
        yield from (line.decode(errors='replace') for line in lines)


def run_process(args, env, scratch, names):
    """Runs cases in one process; yields (name, status, seconds) of the cases that it reached."""
    (scratch / 'cases.txt').write_text('\n'.join(names) + '\n')
    process = subprocess.Popen(command(args, scratch / 'run.qpa', f'--deqp-caselist-file={scratch / "cases.txt"}'),
                               cwd=scratch, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    current, began = None, time.monotonic()
    for line in said_lines(process):
        if found := re.match(r"Test case '(.*)'\.\.", line):
            current, began = found[1], time.monotonic()
        elif current and (found := re.match(r'  (\w+) \(', line)):
            yield current, PASSED.get(found[1], 'Fail'), time.monotonic() - began
            current = None
    process.wait()
    if current:
        seconds = time.monotonic() - began
        yield current, 'Timeout' if seconds >= SILENCE_S else 'Crash', seconds


def run_all(args, env, scratch, names):
    """Runs all cases, whatever happens to the processes; yields (name, status, seconds)."""
    left = list(names)
    while left:
        chunk = left[:CASES_PER_PROCESS]
        done = set()
        for result in run_process(args, env, scratch, chunk):
            done.add(result[0])
            yield result
        if not done:  # it did not start at all: count the first case as crashed
            done.add(chunk[0])
            yield chunk[0], 'Crash', 0.0
        left = [name for name in chunk if name not in done] + left[CASES_PER_PROCESS:]


def group_of(name):
    return '.'.join(name.split('.')[1:3])


def print_table(records, results):
    """Prints results by group and disagreeing cases; returns the percentage that agrees."""
    groups = {}
    for name, result, seconds in results:
        row = groups.setdefault(group_of(name), [0, 0, 0, 0.0])
        row[0] += 1
        row[1] += result in PASSED.values()
        row[2] += records.agrees(name, result)
        row[3] += seconds
    total = [sum(row[i] for row in groups.values()) for i in range(4)]
    print(f'{"group":40} {"cases":>6} {"passed":>6} {"agree":>6} {"%":>7} {"seconds":>8}')
    for group, row in [*sorted(groups.items()), ('all', total)]:
        print(f'{group:40} {row[0]:6} {row[1]:6} {row[2]:6} {100 * row[2] / row[0]:7.2f} {row[3]:8.1f}')
    for name, result, _ in results:
        if not records.agrees(name, result):
            print(f'  {name}: {result}, silicon: {records.expected(name)}')
    return 100 * total[2] / total[0]


def main():
    parser = argparse.ArgumentParser(description='dEQP-GLES2 with Mesa on the DRM shim, against what silicon does')
    for name in 'deqp', 'mesa', 'lists', 'build':
        parser.add_argument(f'--{name}', type=lambda text: pathlib.Path(text).resolve(), required=True)
    parser.add_argument('--cases', type=pathlib.Path)
    parser.add_argument('--every', type=int, default=1)
    parser.add_argument('--first', type=int, default=0)
    parser.add_argument('--match', type=re.compile, default=re.compile(''))
    parser.add_argument('--results', type=pathlib.Path)
    args = parser.parse_args()

    records = silicon.Records(args.lists)
    env = {**silicon.environment(args.mesa, args.build), 'EGL_PLATFORM': 'surfaceless'}
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        (scratch / 'gles2').symlink_to(args.deqp.parent / 'gles2')  # dEQP looks for its data in the working directory
        names = args.cases.read_text().split() if args.cases else all_cases(args, env, scratch)
        names = [name for name in names if args.match.search(name) and not records.unsteady(name)]
        results = []
        for result in run_all(args, env, scratch, names[args.first::args.every]):
            results.append(result)
            if args.results:
                with args.results.open('a') as out:
                    out.write('%s %s %.2f\n' % result)
    if not results:
        sys.exit('no case was run')
    return 0 if print_table(records, results) >= GOAL_PERCENT else 1


if __name__ == '__main__':
    sys.exit(main())
