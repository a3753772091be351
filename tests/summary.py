#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Counts the cases of all test programs that meson ran. Prints what failed, what was skipped and why, and a closing
line.

    summary.py [--judge NAME]... [--no-judge NAME=REASON]... DIR...

DIR is a build folder whose tests have run. A program that died, hung or ended without a case counts as one failure. A
skipped program counts as one skipped case, and so does a case marked TODO (a known difference, with the reason in its
test). Every skip must give a reason: a skip without one is a failure.

A judge is an independent reference outside this project: the jobs recorded from Mesa's driver, the validation layers,
lavapipe, gfxreconstruct, RenderDoc, vkmark. A program prints `# judge: NAME` when a judge is used, and `# no judge:
NAME: REASON` when it runs without one. --judge names a judge that must have judged at least one case. --no-judge names
one that this machine cannot have; it is reported above the closing line.
"""
import argparse
import json
import pathlib
import re
import sys

CASE = re.compile(r'^(not )?ok\b([^\n]*?)(?:# *(SKIP|TODO)\b[^\S\n]*:?[^\S\n]*([^\n]*))?$', re.M | re.I)
WHOLE = re.compile(r'^1\.\.0[^\S\n]*# *SKIP\b[^\S\n]*:?[^\S\n]*([^\n]*)', re.M | re.I)
JUDGE = re.compile(r'^# judge: (.+?)[^\S\n]*$', re.M)
NO_JUDGE = re.compile(r'^# no judge: (.+?)[^\S\n]*$', re.M)
# Results of meson that count as failures whatever the program's cases said.
ENDED_BADLY = ('TIMEOUT', 'INTERRUPT')
GOOD = ('OK', 'SKIP', 'EXPECTEDFAIL')


class Summary:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0
        self.failures, self.skips = [], []
        self.judged = set()
        self.unjudged = {}  # 'NAME: REASON' -> programs

    def fail(self, text):
        self.failed += 1
        self.failures.append(text)

    def skip(self, name, reason):
        if not reason:
            self.fail(f'{name}: skipped without a reason')
            return
        self.skipped += 1
        self.skips.append(f'{name}: {reason}')

    def add_case(self, program, match):
        """Counts one case; returns whether it ran."""
        bad, text, mark, reason = match[1], match[2].strip(), match[3], (match[4] or '').strip()
        if mark:
            self.skip(f'{program}: {text}', reason)
        elif bad:
            self.fail(f'{program}: {text}')
        else:
            self.passed += 1
        return not mark

    def add_program(self, name, result, output):
        failed_before = self.failed
        cases = list(CASE.finditer(output))
        ran = sum([self.add_case(name, case) for case in cases])
        whole = WHOLE.search(output)
        if result in ENDED_BADLY or (result not in GOOD and self.failed == failed_before):
            self.fail(f'{name}: {result}')
        elif not cases and result == 'SKIP':
            said = output.strip().splitlines()[-1:]  # a program without TAP can only print a reason
            self.skip(name, whole[1].strip() if whole else ''.join(said))
        elif not cases and result == 'OK':
            self.fail(f'{name}: ended without a case')
        if ran:
            self.judged.update(JUDGE.findall(output))
        for text in set(NO_JUDGE.findall(output)):
            self.unjudged.setdefault(text, []).append(name)

    def add_folder(self, folder):
        log = pathlib.Path(folder) / 'meson-logs/testlog.json'
        if not log.exists():
            self.fail(f'{folder}: not built, or no test was run')
            return
        for line in log.read_text().splitlines():
            program = json.loads(line)
            self.add_program(f'{folder}: {program["name"]}', program['result'], program.get('stdout', ''))

    def demand(self, judges):
        for judge in judges:
            if judge not in self.judged:
                self.fail(f'the judge {judge} did not run')

    def lines(self, absent):
        for text in self.skips:
            yield f'SKIPPED: {text}'
        for text, programs in sorted(self.unjudged.items()):
            more = f' and {len(programs) - 4} more' if len(programs) > 4 else ''
            yield f'WITHOUT: {text} ({", ".join(programs[:4])}{more})'
        for judge in absent:
            name, _, reason = judge.partition('=')
            yield f'NO JUDGE: {name}: {reason}'
        for text in self.failures:
            yield f'FAILED: {text}'
        yield f'{self.passed} passed, {self.failed} failed' + (f', {self.skipped} skipped' if self.skipped else '')


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument('--judge', action='append', default=[])
    parser.add_argument('--no-judge', action='append', default=[])
    parser.add_argument('folders', nargs='+')
    options = parser.parse_args()
    summary = Summary()
    for folder in options.folders:
        summary.add_folder(folder)
    summary.demand(options.judge)
    for line in summary.lines(options.no_judge):
        print(line)
    return summary.failed != 0


if __name__ == '__main__':
    sys.exit(main())
