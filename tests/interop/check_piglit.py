#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks piglit.py with a piglit of its own, whose tests are scripts: every result is told apart, only what passes on the
reference runs on the driver, a stopped run goes on, and each beginning of the order is a sample. Prints TAP."""
import contextlib
import gzip
import io
import pathlib
import sys
import tempfile

import piglit

# What a script does on the driver (its manifest is "icd"). All but "unfit" and "lacking" pass on the reference.
SAYS = '''echo 'PIGLIT: {"result": "%s" }' '''
TESTS = {
    'right': SAYS % 'pass',
    'wrong': '''if [ "$VK_ICD_FILENAMES" = icd ]; then echo 'PIGLIT: {"subtest": {"of two" : "fail"}}'; %s; exit 1; fi; %s''' % (
        SAYS % 'fail', SAYS % 'pass'),
    'crashing': 'if [ "$VK_ICD_FILENAMES" = icd ]; then kill -SEGV $$; fi; ' + SAYS % 'pass',
    'endless': 'while [ "$VK_ICD_FILENAMES" = icd ]; do :; done; ' + SAYS % 'pass',
    'lesser': 'if [ "$VK_ICD_FILENAMES" = icd ]; then %s; exit 0; fi; %s' % (SAYS % 'skip', SAYS % 'pass'),
    'lacking': SAYS % 'skip',
    'unfit': 'echo nothing; exit 1',
}
EXPECTED = {'right': 'pass', 'wrong': 'fail', 'crashing': 'crash', 'endless': 'timeout', 'lesser': 'skip'}
# Several files in one process: of the one that is named so, the process says nothing.
RUNNER = '''for f in "$@"; do
    case $f in *odd*) [ $# -gt 3 ] || echo 'PIGLIT: {"result": "pass" }' ;;
    *.shader_test) n=$(basename "$f" .shader_test); echo "PIGLIT: {\\"subtest\\": {\\"$n\\" : \\"pass\\"}}" ;; esac
done
echo "$#" >>runs'''


def make(root):
    (root / 'bin').mkdir(parents=True)
    (root / 'tests').mkdir()
    for name, text in {**TESTS, 'shader_runner': RUNNER}.items():
        script = root / 'bin' / name
        script.write_text('#!/bin/sh\n' + text + '\n')
        script.chmod(0o755)

    def element(kind, name, command):
        return (f'<Test type="{kind}" name="{name}"><option name="command" value="{command}" />'
                '<option name="run_concurrent" value="True" /></Test>')
    lists = {
        'quick_gl': [element('gl', f'spec@group {i % 2}@{n}', f"['{n}']") for i, n in enumerate([*TESTS, 'not built'])],
        'quick_shader': [element('shader', f'spec@shaders@{n}', f"['shader_runner', 'tests/{n}.shader_test']")
                         for n in ('one', 'two', 'odd')],
    }
    for profile, elements in lists.items():
        with gzip.open(root / f'tests/{profile}.xml.gz', 'wt') as file:
            file.write(f'<PiglitTestList>{"".join(elements)}</PiglitTestList>')


def run(root, *more):
    """The exit status of piglit.py, and what it prints."""
    sys.argv = ['piglit.py', 'icd', 'reference', str(root / 'out'), '--piglit', str(root), '--limit', '1', *more]
    printed, status = io.StringIO(), 0
    with contextlib.redirect_stdout(printed):
        try:
            piglit.main()
        except SystemExit as e:
            status = e.code
    return status, printed.getvalue()


def results_are_told_apart(root):
    status, printed = run(root)
    driver, reference = (piglit.Kept(root / 'out' / f).results for f in ('driver.jsonl', 'reference.jsonl'))
    found = {n.split('@')[-1]: r['status'] for n, r in driver.items()}
    assert found == {**EXPECTED, 'one': 'pass', 'two': 'pass', 'odd': 'pass'}, found
    assert {n.split('@')[-1]: r['status'] for n, r in reference.items() if r['status'] != 'pass'} == {
        'lacking': 'skip', 'unfit': 'fail'}
    assert status == 1 and 'pass on the driver: 4 of 8, 50.00 %' in printed, printed
    assert 'wrong: of two' in printed and '1 on the reference' not in printed, printed


def shaders_share_a_process(root):
    runs = (root / 'out/runs').read_text().split()
    # On each of the two: three files and three options together, then the file without a result and two options.
    assert sorted(runs) == ['3', '3', '6', '6'], runs


def stopped_runs_go_on(root):
    other = root / 'other'
    make(other)
    status, printed = run(other, '--minutes', '1e-9')
    assert status == 2 and 'are left' in printed, printed
    status, printed = run(other, '--match', 'right|shaders')
    assert status == 0 and '4 of 4, 100.00 %' in printed, printed
    status, printed = run(other, '--match', 'right', '--again', 'all')
    assert status == 0 and len((other / 'out/driver.jsonl').read_text().splitlines()) == 5, printed


def each_beginning_is_a_sample(_):
    class Named:
        def __init__(self, group, number):
            self.group, self.name = group, f'{group}@{number}'
    tests = [Named('small', i) for i in range(100)] + [Named('large', i) for i in range(10000)]
    order = piglit.in_order(tests, 1)
    assert sorted(t.name for t in order) == sorted(t.name for t in tests)
    assert [t.name for t in order] == [t.name for t in piglit.in_order(tests[::-1], 1)]
    assert [t.name for t in order] != [t.name for t in piglit.in_order(tests, 2)]
    for length in (110, 440):
        small = sum(t.group == 'small' for t in order[:length])
        assert abs(small - length / 11) <= 2, small # roots of 100 and 10000: 10 to 100


def main():
    cases = (results_are_told_apart, shaders_share_a_process, stopped_runs_go_on, each_beginning_is_a_sample)
    print(f'1..{len(cases)}')
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        make(root)
        for number, case in enumerate(cases, 1):
            try:
                case(root)
                print(f'ok {number} - {case.__name__}')
            except AssertionError as e:
                failures += 1
                print(f'not ok {number} - {case.__name__}: {e}')
    sys.exit(failures != 0)


if __name__ == '__main__':
    main()
