#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes of what the guest printed a log of tests as meson writes it, for tests/summary.py.

    results.py CONSOLE FOLDER NAME=FILE...

CONSOLE is what the guest's console showed: what each program printed stands between lines "@@ begin NAME" and
"@@ end NAME STATUS". FOLDER/meson-logs/testlog.json is written. Programs that print no TAP count as one case each. The
jobs are counted by the output of tests/interop/replay_jobs.py, which is in FILE for NAME=jobs."""
import json
import pathlib
import re
import sys

PROGRAM = re.compile(r'^@@ begin (\S+)\n(.*?)(?:^@@ end \1 (\d+)\n|\Z)', re.M | re.S)
TIMED_OUT = 143  # of busybox's timeout, which ends a program by SIGTERM


def as_tap(name, status, output):
    """The output of a program that prints no TAP, as TAP of one case."""
    lines = ''.join(f'# {line}\n' for line in output.splitlines())
    return f'1..1\n{lines}{"ok" if status == 0 else "not ok"} 1 - {name}\n'


def programs(console):
    """Yields (name, status, output); the status is None for a program that the guest did not see the end of."""
    for match in PROGRAM.finditer(console):
        yield match[1], None if match[3] is None else int(match[3]), match[2]


def result(status):
    if status is None:
        return 'INTERRUPT'
    return {0: 'OK', TIMED_OUT: 'TIMEOUT'}.get(status, 'ERROR')


def main():
    console = pathlib.Path(sys.argv[1]).read_text(errors='replace').replace('\r', '')
    folder = pathlib.Path(sys.argv[2])
    rows = []
    for name, status, output in programs(console):
        if name.startswith('jobs/') and status == 0:
            continue  # its picture is compared by replay_jobs.py
        if not re.search(r'^1\.\.\d', output, re.M):
            output = as_tap(name, status, output)
        rows.append({'name': name, 'result': result(status), 'stdout': output})
    for argument in sys.argv[3:]:
        name, _, file = argument.partition('=')
        output = pathlib.Path(file).read_text()
        rows.append({'name': name, 'result': 'ERROR' if re.search('^not ok', output, re.M) else 'OK', 'stdout': output})
    if not console.rstrip().endswith('Power down') and 'board: ended with status 0' not in console:
        rows.append({'name': 'guest', 'result': 'ERROR', 'stdout': as_tap('the guest ends by itself', 1, console[-2000:])})
    (folder / 'meson-logs').mkdir(parents=True, exist_ok=True)
    (folder / 'meson-logs/testlog.json').write_text(''.join(json.dumps(row) + '\n' for row in rows))


if __name__ == '__main__':
    main()
