#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the corpus of programs on this driver and on the reference, compares what they draw, and prints a table.

    corpus.py --tests DIR --icd FILE --reference FILE --out DIR [--table FILE] [NAME...]
    corpus.py --packages [NAME...]

--tests names the folder tests of a build, --icd and --reference the manifests of the drivers. Each program of this folder (NAME.sh, described in one.sh) runs case by case,
first on the reference. --out gets the pictures, their differences and the logs. With --table the table is also written as a
page of documentation. --packages only prints the Debian packages that the programs need; packages of the npm registry are installed into --out. The exit status is 1 if a case that runs on the reference fails here or differs.
"""
import argparse
import collections
import os
import re
import shutil
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
LIMIT_S = 300

# Of `packages`, of Debian, and `npm`, NAME@VERSION, one is empty. `tolerances` has two numbers for each case: by how much a channel may differ, and how many of a thousand pixels may differ
# by more. `unusable`: why the program cannot be used here, or empty.
Program = collections.namedtuple('Program', 'name packages npm through unusable cases tolerances')
# `what`: see RESULTS. `detail`: the difference, or why there is none. Seconds are None where nothing was drawn.
Row = collections.namedtuple('Row', 'program case version what detail here_s reference_s')

RESULTS = {
    'same': 'the same within the tolerance',
    'differs': 'DIFFERS',
    'fails here': 'FAILS HERE',
    'reference fails': 'runs here, not on the reference',
    'neither': 'runs on neither',
    'not packaged': 'not packaged here',
    'unusable': 'unusable as packaged',
}
BAD = ('differs', 'fails here')


def programs():
    return sorted(f[:-3] for f in os.listdir(HERE) if f.endswith('.sh') and f != 'one.sh')


def describe(name):
    """What a program's script says about it."""
    script = 'through= tolerance=(6 5) cases=(picture) packages=() npm=(); unusable() { :; }; tolerance_of() { :; }; . "$1"; ' \
             'printf "%s\\n" "${packages[*]}" "${npm[*]}" "$through" "$(unusable)"; ' \
             'for c in "${cases[@]}"; do t=$(tolerance_of "$c"); printf "%s\\t%s\\n" "$c" "${t:-${tolerance[*]}}"; done'
    packages, npm, through, unusable, *cases = subprocess.run(
        ['bash', '-c', script, 'describe', os.path.join(HERE, name + '.sh')], check=True, capture_output=True,
        text=True).stdout.splitlines()
    pairs = [case.split('\t') for case in cases]
    return Program(name, packages.split(), npm.split(), through, unusable, [case for case, _ in pairs],
                   {case: [int(n) for n in tolerance.split()] for case, tolerance in pairs})


def package_version(package):
    """The version of an installed package, or None."""
    got = subprocess.run(['dpkg-query', '-W', '-f', '${db:Status-Status} ${Version}', package], capture_output=True, text=True)
    state, _, version = got.stdout.partition(' ')
    return version if got.returncode == 0 and state == 'installed' else None


def short_version(version):
    """A Debian version without its epoch and revision."""
    return re.sub(r'[-+~].*$', '', re.sub(r'^\d+:', '', version))


def missing_package(packages):
    """The first package that is not installed, or None."""
    return next((p for p in packages if package_version(p) is None), None)


def install_npm(program, out_dir):
    """Installs the program's npm packages for its script. Returns what is missing, or None."""
    if not shutil.which('npm'):
        return 'npm'
    folder = os.path.join(out_dir, 'npm', program.name)
    wanted = ' '.join(program.npm)
    mark = os.path.join(folder, 'installed')
    if os.path.exists(mark) and open(mark).read() == wanted:
        return None
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    # Optional packages are binaries for everything that exists; those that are needed are named.
    done = subprocess.run(['npm', 'install', '--prefix', folder, '--omit=optional', '--ignore-scripts', '--no-audit',
                           '--no-fund', *program.npm], capture_output=True, text=True)
    if done.returncode:
        return (done.stderr.strip().splitlines() or ['npm failed'])[0][:80]
    with open(mark, 'w') as f:
        f.write(wanted)
    return None


def run_one(program, case, icd, out, tests_dir):
    """Runs a case on one driver. True, and the seconds until its result was there; or False and the last words."""
    with open(out + '.log', 'wb') as log:
        process = subprocess.Popen(['bash', os.path.join(HERE, 'one.sh'), program.name, case, icd, out, tests_dir],
                                   stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        try:
            status = process.wait(LIMIT_S)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGTERM) # one.sh ends what it has started
            process.wait()
            return False, f'nothing within {LIMIT_S} s'
    if status or not result_of(out):
        return False, last_words(out + '.log') or f'exit status {status}'
    with open(out + '.seconds') as f:
        return True, float(f.read())


def last_words(path):
    with open(path, errors='replace') as f:
        lines = [re.sub(r'\x1b\[[0-9;]*m', '', line).strip() for line in f]
    return next((line[:80] for line in reversed(lines) if line), '')


def result_of(out):
    return next((out + end for end in ('.png', '.txt') if os.path.exists(out + end) and os.path.getsize(out + end)), None)


def compare(tolerance, tests_dir, expected, got, difference):
    """Whether the results agree within the tolerance, and the difference in words."""
    if expected.endswith('.txt'):
        with open(expected) as a, open(got) as b:
            return (True, 'the same words') if a.read() == b.read() else (False, 'other words')
    said = subprocess.run([os.path.join(tests_dir, 'interop', 'compare_png'), expected, got, *map(str, tolerance),
                           difference], capture_output=True, text=True)
    return said.returncode == 0, difference_words(said.stdout, tolerance)


def difference_words(said, tolerance):
    """What compare_png prints, as the share of pixels."""
    found = re.match(r'(\d+) of (\d+) pixels differ by more than', said)
    if not found:
        return said.strip()
    bad, pixels = map(int, found.groups())
    return f'{1000 * bad / pixels:.2f} of 1000 pixels by more than {tolerance[0]}; {tolerance[1]} allowed'


def run_case(program, case, version, icds, out_dir, tests_dir):
    name = os.path.join(out_dir, re.sub(r'[^A-Za-z0-9_-]+', '_', f'{program.name}.{case}'))
    outs = {which: f'{name}.{which}' for which in ('reference', 'driver')}
    (good_there, there), (good_here, here) = (run_one(program, case, icds[w], outs[w], tests_dir) for w in outs)
    row = lambda what, detail: Row(program, case, version, what, detail, here if good_here else None,
                                   there if good_there else None)
    if not good_there and not good_here:
        return row('neither', there)
    if not good_there:
        return row('reference fails', there)
    if not good_here:
        return row('fails here', here)
    same, detail = compare(program.tolerances[case], tests_dir, result_of(outs['reference']), result_of(outs['driver']),
                           name + '.diff.png')
    return row('same' if same else 'differs', detail)


def rows_of(program, icds, out_dir, tests_dir):
    """Runs the cases of a program, one after another."""
    if program.npm:
        missing = install_npm(program, out_dir)
        version = program.npm[0].rpartition('@')[2]
    else:
        missing = missing_package(program.packages)
        version = short_version(package_version(program.packages[0]) or '-')
    if missing:
        yield Row(program, 'picture', '-', 'not packaged', missing, None, None)
    elif program.unusable:
        yield Row(program, 'picture', version, 'unusable', program.unusable, None, None)
    else:
        for case in program.cases:
            yield run_case(program, case, version, icds, out_dir, tests_dir)


# ---------------------------------------------------------------- the table

HEADS = ('program', 'case', 'through', 'version', 'result', 'difference', 'here', 'lavapipe')


def cells(row):
    seconds = lambda s: '-' if s is None else f'{s:.1f} s'
    case = '-' if row.case == 'picture' else row.case
    return (row.program.name, case, row.program.through, row.version, RESULTS[row.what], row.detail,
            seconds(row.here_s), seconds(row.reference_s))


def text_table(rows):
    lines = [HEADS] + [cells(r) for r in rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(HEADS))]
    return '\n'.join('  '.join(c.ljust(w) for c, w in zip(line, widths)).rstrip() for line in lines)


def markdown_table(rows):
    escaped = lambda line: '| ' + ' | '.join(c.replace('|', '\\|') for c in line) + ' |'
    return '\n'.join([escaped(HEADS), escaped(['---'] * len(HEADS))] + [escaped(cells(r)) for r in rows])


def summary(rows):
    counts = collections.Counter(r.what for r in rows)
    return ', '.join(f'{counts[what]} {words}' for what, words in RESULTS.items() if counts[what])


def has_failures(rows):
    return any(r.what in BAD for r in rows)


def page(rows, machine):
    return f'''# Programs that people run

After reading this page you know which programs of Debian and of the npm registry have been run on the driver, and what came of it. The page is
generated; this command repeats it, and installs the programs that are missing:

    ./run programs               # all of them
    ./run programs mpv glmark2   # some; prints the table and leaves this page alone

Each program runs on the model of the chip and on lavapipe (with exact texture filters), up to the same frame, and the two
pictures are compared. The tolerance that the column difference states allows for edges, which the chip places on a
sixteenth of a pixel, and for its rounding. `tests/programs/` has a script for each program. Times run from the start of the program to the picture, with all
that it loads and compiles. They are an indication only.

{machine}: {summary(rows)}.

{markdown_table(rows)}
'''


def machine():
    with open('/etc/debian_version') as f:
        debian = f.read().strip()
    mesa = package_version('mesa-vulkan-drivers')
    return f'Debian {debian}, lavapipe of Mesa {short_version(mesa) if mesa else "(not installed)"}'


def main():
    parser = argparse.ArgumentParser()
    for option in ('--tests', '--icd', '--reference', '--out', '--table'):
        parser.add_argument(option)
    parser.add_argument('--packages', action='store_true')
    parser.add_argument('names', nargs='*')
    args = parser.parse_args()
    unknown = set(args.names) - set(programs())
    if unknown:
        sys.exit(f'no such program in the corpus: {" ".join(sorted(unknown))} (there are {" ".join(programs())})')
    if args.packages:
        print('\n'.join(sorted({p for name in args.names or programs() for p in describe(name).packages})))
        return
    os.makedirs(args.out, exist_ok=True)
    icds = {'driver': args.icd, 'reference': args.reference}
    rows = []
    for name in args.names or programs():
        for row in rows_of(describe(name), icds, args.out, args.tests):
            print('  '.join(cells(row)), flush=True)
            rows.append(row)
    print('\n' + text_table(rows) + '\n' + summary(rows))
    if args.table:
        with open(args.table, 'w') as f:
            f.write(page(rows, machine()))
    sys.exit(has_failures(rows))


if __name__ == '__main__':
    main()
