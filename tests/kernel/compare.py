#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares two logs of `ioctls` that were made with the same seed, call by call.

    compare.py A.log B.log [--explained FILE] [--system WORD]... [--show N]

Prints how many calls were compared and every group of differences: the call, its kind, and both results. Fails if a
difference is left that no entry of --explained names, or if the logs are not of the same sequence.

An entry of the list is a line `SYSTEMS | NAME | KIND | A | B | REASON`. NAME, KIND, A and B are regular expressions that
match the whole call name, kind and `RESULT {outputs}` of the logs. SYSTEMS is `all`, or words of which one must have
been given by --system: a difference between one kernel and the model need not be one between another and the model.
Entries that end their reason with `(changes state)` are for differences after which the two systems' objects differ.

After a difference that is not explained, or that changes state, the rest of its episode is not compared. Numbers of
calls that were left out so are printed, too.
"""
import argparse
import collections
import re
import sys

LINE = re.compile(r'(\d+)\.(\d+) (\S+) (\S+) \{(.*)\} = (\S+) \{(.*)\}$')
STATE = '(changes state)'


def read_log(path):
    """Episodes: number -> list of (name, kind, arguments, result, outputs). Whether the log is complete."""
    episodes, current, complete = {}, None, False
    with open(path, encoding='utf-8', errors='replace') as lines:
        for number, text in enumerate(lines, 1):
            text = text.rstrip('\r\n')
            if text.startswith('episode '):
                current = episodes.setdefault(int(text.split()[1]), [])
                continue
            if text == 'end':
                complete = True
                continue
            match = LINE.match(text)
            if not match or current is None:
                sys.exit(f'{path}:{number}: not a line of ioctls: {text[:100]}')
            current.append(match.groups()[2:])
    return episodes, complete


def read_explained(path, systems):
    entries = []
    if not path:
        return entries
    with open(path, encoding='utf-8') as lines:
        for number, text in enumerate(lines, 1):
            text = text.strip()
            if not text or text.startswith('#'):
                continue
            fields = [field.strip() for field in text.split(' | ')]
            if len(fields) != 6:
                sys.exit(f'{path}:{number}: six fields are needed, got {len(fields)}')
            if fields[0] == 'all' or set(fields[0].split()) & systems:
                entries.append(([re.compile(field) for field in fields[1:5]], fields[5], f'{path}:{number}'))
    return entries


class Comparison:
    def __init__(self, explained):
        self.explained = explained
        self.compared = self.skipped = 0
        self.kinds = set()
        self.results = collections.Counter()
        self.groups = collections.OrderedDict()  # (name, kind, result A, result B, explanation) -> [count, examples]
        self.used = collections.Counter()

    def explain(self, a, b):
        for entry in self.explained:
            patterns, reason, place = entry
            texts = (a[0], a[1], f'{a[3]} {{{a[4]}}}', f'{b[3]} {{{b[4]}}}')
            if all(pattern.fullmatch(text) for pattern, text in zip(patterns, texts)):
                self.used[place] += 1
                return reason
        return None

    def episode(self, number, a_calls, b_calls):
        for index, (a, b) in enumerate(zip(a_calls, b_calls)):
            if a[0] != b[0]:
                sys.exit(f'{number}.{index:03}: {a[0]} in one log, {b[0]} in the other: not the same sequence')
            self.compared += 1
            self.kinds.add((a[0], a[1]))
            self.results[(a[0], a[3])] += 1
            if a == b:
                continue
            reason = None if a[1:3] != b[1:3] else self.explain(a, b)
            key = (a[0], a[1], a[3], b[3], reason)
            group = self.groups.setdefault(key, [0, []])
            group[0] += 1
            group[1].append((number, index, a, b))
            if not reason or reason.endswith(STATE):
                self.skipped += max(len(a_calls), len(b_calls)) - index - 1
                return
        if len(a_calls) != len(b_calls):
            sys.exit(f'episode {number}: {len(a_calls)} and {len(b_calls)} calls: a log was cut off')


def print_group(key, group, show):
    name, kind, a_result, b_result, reason = key
    print(f'{"explained" if reason else "DIFFERENT"} {group[0]:6} {name} {kind}: {a_result} / {b_result}'
          + (f': {reason}' if reason else ''))
    for number, index, a, b in group[1][:0 if reason else show]:
        print(f'    {number}.{index:03} {{{a[2]}}}')
        if a[1:3] != b[1:3]:
            print(f'        arguments of B: {b[1]} {{{b[2]}}}')
        print(f'        A: {a[3]} {{{a[4]}}}')
        print(f'        B: {b[3]} {{{b[4]}}}')


def main():
    parser = argparse.ArgumentParser(description='compares two logs of ioctls')
    parser.add_argument('a')
    parser.add_argument('b')
    parser.add_argument('--explained')
    parser.add_argument('--system', action='append', default=[], help='what B is: kernel-6.1, kernel-6.12')
    parser.add_argument('--show', type=int, default=2, help='examples of each difference')
    args = parser.parse_args()
    explained = read_explained(args.explained, set(args.system))
    (a, a_complete), (b, b_complete) = read_log(args.a), read_log(args.b)
    comparison = Comparison(explained)
    common = sorted(set(a) & set(b))
    for number in common[:None if a_complete and b_complete else -1]:  # the last one of a log that was cut off is short
        comparison.episode(number, a[number], b[number])
    groups = sorted(comparison.groups.items(), key=lambda item: (item[0][4] is not None, -item[1][0]))
    for key, group in groups:
        print_group(key, group, args.show)
    unexplained = sum(group[0] for key, group in groups if not key[4])
    good = sum(1 for name, result in comparison.results if result == '0')
    print(f'{comparison.compared} calls compared, {comparison.skipped} left out, in {len(set(a) & set(b))} episodes: '
          f'{len({name for name, _ in comparison.kinds})} calls, {len(comparison.kinds)} kinds, '
          f'{len(comparison.results)} results of which {good} good')
    print(f'{sum(group[0] for key, group in groups if key[4])} differences explained, {unexplained} unexplained')
    if set(a) != set(b) or not (a_complete and b_complete):
        print('a log was cut off: ' + ', '.join(path for path, complete in ((args.a, a_complete), (args.b, b_complete))
                                                if not complete))
        return 1
    return 1 if unexplained else 0


if __name__ == '__main__':
    sys.exit(main())
