#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks corpus.py without running a program: what scripts say is read, every result gets its row and its place in the
summary, and only what runs on the reference alone, or differs, is a failure. Prints TAP."""
import os
import sys
import tempfile

import corpus


def row(what, here=1.25, there=2.5):
    return corpus.Row(corpus.describe('vkcube'), 'picture', '1.3', what, 'a|b', here, there)


def scripts_are_described():
    names = corpus.programs()
    assert 'vkcube' in names and 'one' not in names, names
    for name in names:
        p = corpus.describe(name)
        assert bool(p.packages) != bool(p.npm) and p.through and p.cases and all(len(p.tolerances[c]) == 2 for c in p.cases), name
    assert corpus.describe('vkcube').packages == ['vulkan-tools']
    assert all('@' in package[1:] for name in names for package in corpus.describe(name).npm)
    assert corpus.describe('glmark2').tolerances['terrain'] != corpus.describe('glmark2').tolerances['build']


def every_result_has_a_row():
    rows = [row(what) for what in corpus.RESULTS]
    table = corpus.markdown_table(rows).splitlines()
    assert len(table) == 2 + len(rows), table
    for what, line in zip(corpus.RESULTS, table[2:]):
        assert corpus.RESULTS[what] in line and '1.2 s | 2.5 s' in line and 'a\\|b' in line, line
        assert f'1 {corpus.RESULTS[what]}' in corpus.summary(rows), what
    assert '| - | 2.5 s |' in corpus.markdown_table([row('fails here', None)])
    assert corpus.text_table(rows).count('\n') == len(rows)
    assert corpus.markdown_table(rows) in corpus.page(rows, 'a machine')


def failures_are_counted():
    for what in corpus.RESULTS:
        assert corpus.has_failures([row('same'), row(what)]) == (what in ('differs', 'fails here')), what


def differences_are_shortened():
    words = corpus.difference_words
    assert words('3 of 2000 pixels differ by more than 6 (worst 50)\n', [6, 2]) == '1.50 of 1000 pixels by more than 6; 2 allowed'
    assert words('sizes differ: 1x1, 2x2\n', [6, 2]) == 'sizes differ: 1x1, 2x2'
    assert corpus.short_version('1:2023.01+dfsg-1') == '2023.01'


def texts_are_compared():
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ('a.txt', 'b.txt', 'c.txt')]
        for path, text in zip(paths, ('x', 'x', 'y')):
            with open(path, 'w') as f:
                f.write(text)
        compare = lambda a, b: corpus.compare([6, 5], folder, a, b, None)
        assert compare(paths[0], paths[1])[0] and not compare(paths[0], paths[2])[0]
        assert corpus.result_of(os.path.join(folder, 'a')) == paths[0] and not corpus.result_of(os.path.join(folder, 'd'))


def main():
    checks = [scripts_are_described, every_result_has_a_row, failures_are_counted, differences_are_shortened, texts_are_compared]
    failures = 0
    print(f'1..{len(checks)}')
    for number, check in enumerate(checks, 1):
        try:
            check()
            print(f'ok {number} - {check.__name__}')
        except Exception as e: # a broken check is a failure, too
            failures += 1
            print(f'not ok {number} - {check.__name__}\n# {type(e).__name__}: {e}')
    return failures != 0


if __name__ == '__main__':
    sys.exit(main())
