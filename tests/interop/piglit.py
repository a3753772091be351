#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs a random sample of piglit's `quick` profile on zink over the driver and over the reference, and compares.

    piglit.py ICD.json REFERENCE_ICD.json OUT [OPTION...]

Needs an X server (DISPLAY), piglit and Mesa's zink. The profile is Debian's, without `glslparser`, whose tests compile only.
The order of all tests is drawn from --seed so that every beginning of it is a sample, to which each group of tests (for
instance spec@arb_copy_image) gives tests in proportion to the root of its size: large groups of generated tests do not
crowd out the others. A test that passes on the reference then runs on the driver. Results are kept in OUT, so a second call
with the same seed goes on where the first ended, or adds to the sample. A rate is over the tests that passed on the
reference; the estimated rate weighs each group with its size.

    --sample N        how many tests (default: 400)
    --seed S          seed of the order (default: 1)
    --limit SECONDS   processor time after which a test is ended (default: 60); ten times that if it sleeps
    --minutes M       stop after M minutes, and say what is left
    --jobs N          run N processes at a time (default: as many as there are processors)
    --match REGEX     only tests whose names match
    --test NAME       run this test again on both, and print what it says; may be repeated
    --again STATUS    run the tests again that had this result on the driver (fail, crash, timeout, skip; all: every one)
    --piglit FOLDER   where piglit is installed

Exit status: 0 if every test that passes on the reference passes on the driver, 1 if not, 2 if there is work left.
"""
import argparse
import ast
import collections
import concurrent.futures
import glob
import gzip
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import threading
import time
import xml.etree.ElementTree

PROFILES = ('quick_gl', 'quick_shader')
BUNDLE = 10


def options():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('icd')
    parser.add_argument('reference')
    parser.add_argument('out', type=pathlib.Path)
    parser.add_argument('--sample', type=int, default=400)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--limit', type=float, default=60)
    parser.add_argument('--minutes', type=float)
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('--match', default='')
    parser.add_argument('--test', action='append', default=[])
    parser.add_argument('--again')
    parser.add_argument('--piglit', type=pathlib.Path)
    return parser.parse_args()


class Test:
    def __init__(self, element):
        values = {o.get('name'): o.get('value') for o in element}
        self.name = element.get('name')
        self.group = '@'.join(self.name.split('@')[:2])
        self.kind = element.get('type')
        self.text = values['command']
        self.concurrent = values.get('run_concurrent') == 'True'
        self.platforms, self.excluded = values.get('require_platforms'), values.get('exclude_platforms', '')

    @property
    def command(self):
        return ast.literal_eval(self.text) # not for all of the 28,000 tests

    def arguments(self, root):
        """The command line, as piglit's own runner makes it."""
        program, *rest = self.command
        rest = [r for r in rest if r not in ('-auto', '-fbo')]
        if self.kind in ('shader', 'gl_builtin'):
            folder = root if self.kind == 'shader' else root / 'tests'
            rest[0] = str(folder / rest[0])
        return [str(root / 'bin' / program), *rest, '-auto', *(['-fbo'] if self.concurrent else [])]


def all_tests(root):
    found = []
    for profile in PROFILES:
        with gzip.open(root / f'tests/{profile}.xml.gz') as file:
            found += [Test(e) for e in xml.etree.ElementTree.parse(file).getroot()]
    here, built = "'mixed_glx_egl'", set(os.listdir(root / 'bin')) # Debian builds no programs that need what it lacks
    return [t for t in found if here not in t.excluded and (not t.platforms or here in t.platforms) and
            t.text.split("'")[1] in built]


def in_order(tests, seed):
    """The tests, so that each beginning is a sample."""
    groups = collections.defaultdict(list)
    for test in tests:
        groups[test.group].append(test)
    chance, keys = random.Random(seed), {}
    for group in sorted(groups):
        members = sorted(groups[group], key=lambda t: t.name)
        chance.shuffle(members)
        for rank, test in enumerate(members):
            keys[test.name] = (rank + chance.random()) / len(members) ** 0.5
    return sorted(tests, key=lambda t: keys[t.name])


# ---------------------------------------------------------------- running

def execute(command, icd, o):
    """What a command prints, its exit status, whether it was ended by the limit, and seconds."""
    environment = dict(os.environ, VK_ICD_FILENAMES=str(icd), VK_DRIVER_FILES=str(icd), MESA_LOADER_DRIVER_OVERRIDE='zink',
                       GALLIUM_DRIVER='zink', LIBGL_ALWAYS_SOFTWARE='1', PIGLIT_SOURCE_DIR=str(o.piglit),
                       PIGLIT_PLATFORM='mixed_glx_egl', XDG_RUNTIME_DIR=str(o.out), XDG_CACHE_HOME=str(o.out / 'cache'))
    begin = time.monotonic()
    command = ['prlimit', f'--cpu={int(o.limit)}:{int(o.limit) + 5}', *command]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment, cwd=o.out,
                               start_new_session=True, stdin=subprocess.DEVNULL)
    late = False
    try:
        said = process.communicate(timeout=10 * o.limit)[0]
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        said, late = process.communicate()[0], True
    late |= process.returncode == -signal.SIGXCPU
    return said.decode(errors='replace'), process.returncode, late, round(time.monotonic() - begin, 2)


def told(said):
    """The status of a test and of its parts."""
    status, parts = 'fail', {}
    for line in said.splitlines():
        if line.startswith('PIGLIT:'):
            try:
                values = json.loads(line[7:])
            except ValueError:
                continue
            status = values.get('result', status)
            parts.update(values.get('subtest', {}))
    return status, parts


def run(test, icd, o):
    """The result of one test: status, parts that failed, seconds, what it said."""
    said, code, late, seconds = execute(test.arguments(o.piglit), icd, o)
    status, parts = told(said)
    if late:
        status = 'timeout'
    elif code < 0:
        status = 'crash'
        said += f'\nended by {signal.Signals(-code).name}\n'
    elif code and status == 'pass':
        status = 'warn'
    failed = sorted(p for p, s in parts.items() if s not in ('pass', 'skip'))
    return {'status': status, 'seconds': seconds, 'failed': failed, 'said': said[-6000:]}


def over(o):
    return o.end and time.monotonic() > o.end


def run_together(tests, icd, o):
    """Results by name, of the tests that began before o.end. Tests of one of piglit's shader_runners run in one process as
    far as they pass there. Any other result comes from a process of the test's own."""
    results = {}
    if len(tests) > 1:
        files = [t.arguments(o.piglit)[1] for t in tests]
        said, _, _, seconds = execute([tests[0].arguments(o.piglit)[0], *files, '-auto', '-fbo', '-report-subtests'], icd, o)
        parts = told(said)[1]
        for test, file in zip(tests, files):
            if parts.get(pathlib.Path(file).stem.lower()) == 'pass':
                results[test.name] = {'status': 'pass', 'seconds': seconds / len(tests), 'failed': [], 'said': ''}
    for test in tests:
        if test.name not in results and not over(o):
            results[test.name] = run(test, icd, o)
    return results


def bundles(tests):
    """The tests in lists that can run together."""
    lists = collections.defaultdict(list)
    for test in tests:
        # Two tests with one file name could not be told apart in a process.
        kind = test.command[0] if test.kind == 'shader' else test.name
        name = pathlib.Path(test.command[1]).stem.lower() if test.kind == 'shader' else test.name
        if not lists[kind] or len(lists[kind][-1]) >= BUNDLE or name in lists[kind][-1]:
            lists[kind].append({})
        lists[kind][-1][name] = test
    # Single tests first: their subjects differ most.
    return sorted((list(b.values()) for l in lists.values() for b in l), key=len)


class Kept:
    """Results by name, of one driver, in a file with a line for each."""
    def __init__(self, path):
        self.path, self.results, self.lock = path, {}, threading.Lock()
        if path.exists():
            for line in path.read_text().splitlines():
                name, result = json.loads(line)
                self.results[name] = result

    def add(self, name, result):
        self.results[name] = result
        with self.lock, self.path.open('a') as file:
            file.write(json.dumps([name, result]) + '\n')


def run_sample(sample, reference, driver, o):
    """Runs what has no result yet. Returns how many tests are left."""
    def missing(kept, tests):
        return [t for t in tests if t.name not in kept.results]

    def passing(tests):
        return [t for t in tests if reference.results.get(t.name, {}).get('status') == 'pass']

    def work(bundle):
        for kept, icd in ((reference, o.reference), (driver, o.icd)):
            due = missing(kept, bundle if kept is reference else passing(bundle))
            if not due or over(o):
                continue
            for name, result in run_together(due, icd, o).items():
                kept.add(name, result)
                if kept is driver and result['status'] != 'pass':
                    print(f"{result['status']:8}{name}", flush=True)
    begun = missing(driver, passing(sample))
    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        for done in [pool.submit(work, b) for b in bundles(begun) + bundles(missing(reference, sample))]:
            done.result()
    return len(missing(reference, sample)) + len(missing(driver, passing(sample)))


# ---------------------------------------------------------------- the table

def table(sample, tests, reference, driver):
    sizes = collections.Counter(t.group for t in tests)
    drawn = collections.Counter(t.group for t in sample)
    rows, estimate, weight = collections.defaultdict(collections.Counter), 0, 0
    for test in sample:
        row, expected = rows[test.group], reference.results[test.name]['status']
        row['tests'] += 1
        row['reference ' + expected] += 1
        if expected == 'pass' and test.name in driver.results:
            status = driver.results[test.name]['status']
            row['judged'] += 1
            row[status] += 1
            share = sizes[test.group] / drawn[test.group]
            weight += share
            estimate += share * (status == 'pass')
    total = collections.Counter()
    for row in rows.values():
        total.update(row)
    columns = ('tests', 'judged', 'pass', 'fail', 'warn', 'crash', 'timeout', 'skip')
    print('| group | ' + ' | '.join(columns) + ' |\n|---|' + '---:|' * len(columns))
    plain = collections.Counter()
    count = 0
    for group, row in sorted(rows.items()):
        if row['pass'] == row['judged']:
            plain.update(row)
            count += 1
        else:
            print(f'| {group} | ' + ' | '.join(str(row[c]) for c in columns) + ' |')
    for name, row in ((f'{count} groups without a difference', plain), ('all', total)):
        print(f'| {name} | ' + ' | '.join(str(row[c]) for c in columns) + ' |')
    print()
    for name in ('pass', 'skip', 'fail', 'warn', 'crash', 'timeout'):
        print(f"{name} on the reference: {total['reference ' + name]}", end='; ')
    if total['judged']:
        print(f"\npass on the driver: {total['pass']} of {total['judged']}, {100 * total['pass'] / total['judged']:.2f} %; "
              f'estimated for the whole profile: {100 * estimate / weight:.2f} %')
    return total['pass'] == total['judged']


def print_again(tests, o):
    for test in tests:
        for icd in (o.reference, o.icd):
            result = run(test, icd, o)
            print(f"== {test.name} on {icd}: {result['status']}, {result['seconds']} s\n{' '.join(test.arguments(o.piglit))}\n"
                  f"{result['said']}")


def main():
    o = options()
    places = [o.piglit] if o.piglit else [pathlib.Path(p) for p in sorted(glob.glob('/usr/lib/*/piglit'))]
    if not places or not (places[0] / 'tests/quick_gl.xml.gz').exists():
        sys.exit('piglit is not installed')
    o.piglit, o.out = places[0], o.out.resolve()
    (o.out / 'cache').mkdir(parents=True, exist_ok=True)
    tests = all_tests(o.piglit)
    if o.test:
        return print_again([t for t in tests if t.name in o.test], o)
    chosen = [t for t in tests if re.search(o.match, t.name)]
    sample = in_order(chosen, o.seed)[:o.sample]
    reference, driver = Kept(o.out / 'reference.jsonl'), Kept(o.out / 'driver.jsonl')
    if o.again:
        driver.results = {n: r for n, r in driver.results.items() if o.again not in ('all', r['status'])}
    o.end = time.monotonic() + o.minutes * 60 if o.minutes else None
    left = run_sample(sample, reference, driver, o)
    if left:
        print(f'{left} tests of this step are left; the same command goes on')
        sys.exit(2)
    passed = table(sample, chosen, reference, driver)
    different = [t for t in sample if driver.results.get(t.name, {'status': 'pass'})['status'] != 'pass']
    if different:
        print('\ndifferent from the reference (--test NAME shows what a test says):')
    for test in different:
        result = driver.results[test.name]
        print(f"  {result['status']:8}{test.name}" + (f": {', '.join(result['failed'][:8])}" if result['failed'] else ''))
    sys.exit(0 if passed else 1)


if __name__ == '__main__':
    main()
