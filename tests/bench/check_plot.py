#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# Checks plot.py: its output is XML, has a bar for each figure and states the right mean; a bad row is refused. Prints
# TAP.
import pathlib, subprocess, sys, tempfile
import xml.etree.ElementTree as ElementTree

PLOT = pathlib.Path(__file__).resolve().parent / 'plot.py'
# The first device is twice as fast as the best of the others in line a, half as fast in line b: the mean is 1.
TABLE = 'a\tours\t1\tms\na\tB & C\t2\tms\na\tD\t4\tms\nb\tours\t50\tframes/s\nb\tB & C\t0\tframes/s\nb\tD\t100\tframes/s\n'


def plot(table):
    with tempfile.NamedTemporaryFile('w', suffix='.tsv') as file:
        file.write(table)
        file.flush()
        return subprocess.run([sys.executable, PLOT, file.name], capture_output=True, text=True)


def main():
    done = plot(TABLE)
    picture = ElementTree.fromstring(done.stdout) if done.returncode == 0 else ElementTree.Element('none')
    texts = [e.text for e in picture.iter('{http://www.w3.org/2000/svg}text')]
    bars = [e for e in picture.iter('{http://www.w3.org/2000/svg}rect') if e.get('height') == '8']
    checks = {'six bars': len(bars) == 6,
              'one device failed': texts.count('failed') == 1,
              'the mean': any('ours is 1.00 times the best of the others' in t for t in texts),
              'a bad row is refused': plot('a\tb\t1\tminutes\n').returncode != 0}
    print(f'1..{len(checks)}')
    for number, (name, good) in enumerate(checks.items(), 1):
        print(f'{"ok" if good else "not ok"} {number} - {name}')
    return 0 if all(checks.values()) else 1


if __name__ == '__main__':
    sys.exit(main())
