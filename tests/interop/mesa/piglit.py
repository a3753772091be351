#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs a sample of piglit with Mesa's vc4 driver on the model and compares the results with those recorded on silicon.

    piglit.py --mesa PREFIX --lists DIR --build DIR [--piglit DIR] [--every N] [--first K] [--profile NAME]...
              [--only REGEX] [--jobs J] [--timeout S] [--results FILE] [--logs DIR]

The sample is every Nth test (from the Kth) of the sorted names of each profile; the default profiles are quick_gl and
quick_shader. Left out are tests that need GLX or X11, tests whose program the package lacks, and tests that were not
run or are flaky on silicon. A test is one program: it agrees when its result and those of all its subtests are the
recorded ones. Exit status 0 when 97 % of the tests agree.
"""
import argparse
import ast
import collections
import concurrent.futures
import gzip
import json
import pathlib
import re
import sys
import tempfile
import threading
import time
import xml.etree.ElementTree as ElementTree

import silicon

GOAL_PERCENT = 97
Test = collections.namedtuple('Test', 'name kind command concurrent platforms excluded')
Outcome = collections.namedtuple('Outcome', 'result subtests output')


def read_profile(piglit, profile):
    """The tests of a profile, sorted by name."""
    tests = []
    with gzip.open(piglit / 'tests' / f'{profile}.xml.gz') as packed:
        for element in ElementTree.parse(packed).getroot():
            option = {o.get('name'): o.get('value') for o in element.findall('option')}
            tests.append(Test(element.get('name').lower(), element.get('type'), ast.literal_eval(option['command']),
                              option['run_concurrent'] == 'True',
                              ast.literal_eval(option.get('require_platforms', '[]')),
                              ast.literal_eval(option.get('exclude_platforms', '[]'))))
    return sorted(tests)


def command_line(piglit, test):
    command = [str(piglit / 'bin' / test.command[0])] + test.command[1:]
    if test.kind == 'shader':
        command[1] = str(piglit / command[1])
    elif test.kind == 'gl_builtin':
        command[1] = str(piglit / 'tests' / command[1])
    command = [word for word in command if word not in ('-auto', '-fbo')]
    return command + ['-auto'] + (['-fbo'] if test.concurrent else [])


def run_test(piglit, test, env, timeout_s):
    with tempfile.TemporaryDirectory() as scratch:
        out, status = silicon.run(command_line(piglit, test), env, timeout_s, scratch)
    result, subtests = None, {}
    for line in re.findall(r'^PIGLIT: *(\{.*)$', out, re.MULTILINE):
        try:
            said = json.loads(line)
        except ValueError:
            continue
        result = said.get('result', result)
        for name, word in said.get('subtest', {}).items():
            subtests[name] = word.capitalize()
    if status is None:
        result = 'Timeout'
    elif status < 0:
        result = 'Crash'
    elif result is None:
        result = 'Fail'
    return Outcome(result.capitalize(), subtests, out)


def judge(records, test, outcome):
    """Rows (case, recorded, got) where the model's result is not silicon's."""
    cases = {test.name: outcome.result}
    if outcome.result not in ('Crash', 'Timeout'):
        cases.update((f'{test.name}@{name}'.replace(',', '-'), word) for name, word in outcome.subtests.items())
    return [(case, records.expected(case), got) for case, got in cases.items()
            if not records.unsteady(case) and not records.agrees(case, got)]


def group(name):
    return '@'.join(name.split('@')[:2]) if name.startswith('spec@') else name.split('@')[0]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    path = lambda text: pathlib.Path(text).resolve()
    parser.add_argument('--mesa', type=path, required=True, metavar='PREFIX')
    parser.add_argument('--lists', type=path, required=True, metavar='DIR')
    parser.add_argument('--build', type=path, required=True, metavar='DIR')
    parser.add_argument('--piglit', type=path, metavar='DIR', help='where tests/ and bin/ of piglit are')
    parser.add_argument('--profile', action='append', metavar='NAME')
    parser.add_argument('--every', type=int, default=8, metavar='N')
    parser.add_argument('--first', type=int, default=0, metavar='K')
    parser.add_argument('--only', type=re.compile, metavar='REGEX', help='only tests whose names match')
    parser.add_argument('--jobs', type=int, default=2)
    parser.add_argument('--timeout', type=float, default=120, metavar='S')
    parser.add_argument('--results', type=path, metavar='FILE', help='a line for each test: name, result, recorded, s')
    parser.add_argument('--logs', type=path, metavar='DIR', help='output of the tests that disagree')
    args = parser.parse_args()
    if not args.piglit:
        args.piglit = next(iter(pathlib.Path('/usr/lib').glob('*/piglit/bin')), pathlib.Path('/usr/lib/piglit/bin')).parent
    return args


def sample(args, records):
    for profile in args.profile or ('quick_gl', 'quick_shader'):
        tests = [test for test in read_profile(args.piglit, profile)
                 if 'gbm' not in test.excluded and (not test.platforms or 'gbm' in test.platforms)
                 and (args.piglit / 'bin' / test.command[0]).exists()]
        for test in tests[args.first::args.every]:
            if not records.unsteady(test.name) and (not args.only or args.only.search(test.name)):
                yield profile, test


def print_table(rows):
    print(f'{"group":48} {"tests":>6} {"agree":>6} {"pass":>6} {"skip":>6} {"fail":>6}')
    for name, row in rows:
        print(f'{name:48} {row["tests"]:6} {row["agree"]:6} {row["Pass"] + row["Warn"]:6} {row["Skip"]:6} '
              f'{row["Fail"] + row["Crash"] + row["Timeout"]:6}')


def percent(part, whole):
    return 100 * part / whole if whole else 0.0


def main():
    args = arguments()
    records = silicon.Records(args.lists)
    env = silicon.environment(args.mesa, args.build)
    env.update(PIGLIT_PLATFORM='gbm', PIGLIT_SOURCE_DIR=str(args.piglit), WAFFLE_GBM_DEVICE='/dev/dri/renderD128',
               MESA_DEBUG='silent')
    env['LD_LIBRARY_PATH'] += f':{args.piglit / "lib"}'
    tests = list(sample(args, records))
    table, wrong, lock = collections.defaultdict(collections.Counter), [], threading.Lock()
    results = args.results.open('w') if args.results else None
    if args.logs:
        args.logs.mkdir(parents=True, exist_ok=True)

    def one(item):
        profile, test = item
        begin = time.monotonic()
        outcome = run_test(args.piglit, test, env, args.timeout)
        differing = judge(records, test, outcome)
        with lock:
            for key in (group(test.name), f'{profile} (all)', 'all'):
                table[key].update(['tests', outcome.result])
                if not differing:
                    table[key].update(['agree'] if outcome.result == 'Skip' else ['agree', 'ran and agree'])
            wrong.extend(differing)
            if results:
                results.write(f'{test.name}\t{outcome.result}\t{records.expected(test.name)}\t'
                              f'{time.monotonic() - begin:.1f}\n')
                results.flush()
            if differing and args.logs:
                (args.logs / (re.sub(r'[^\w.@=-]', '_', test.name) + '.txt')).write_text(outcome.output)

    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for _ in pool.map(one, tests):
            pass
    total = table.pop('all', collections.Counter())
    print_table(sorted(table.items()) + [('all', total)])
    for case, recorded, got in sorted(wrong):
        print(f'differs: {case}: recorded {recorded}, got {got}')
    ran = total['tests'] - total['Skip']
    print(f'{total["agree"]} of {total["tests"]} tests agree: {percent(total["agree"], total["tests"]):.2f} %; '
          f'{total["ran and agree"]} of {ran} that are not skipped: {percent(total["ran and agree"], ran):.2f} %')
    return 0 if percent(total['agree'], total['tests']) >= GOAL_PERCENT else 1


if __name__ == '__main__':
    sys.exit(main())
