#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# Runs random GLSL programs on this driver and on the reference: docs/fuzzing.md. Prints TAP.
#
#   fuzz.py TOOLS ICD.json REFERENCE_ICD.json [--count N] [--seed N] ...    tries N programs
#   fuzz.py TOOLS ICD.json REFERENCE_ICD.json --repeat FOLDER               runs a saved program again
#   fuzz.py TOOLS ICD.json REFERENCE_ICD.json --cases FOLDER                the same for all programs in a folder
#
# VKT_FUZZ=full tries 100,000; VKT_SEED is the first seed.
import argparse
import multiprocessing
import os
import queue
import sys
import time
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import case
import generate
from judge import Judge, Unsuitable
from reduce import Reducer
from tree import indent

STAGES = {'comp': 'compute programs', 'vert+frag': 'vertex programs with fragment programs'}


def keep_smallest(options, program, difference):
    """Reduces a program and saves it; returns the report, with the command that repeats it."""
    judge = Judge(options.tools, options.icd, options.reference, options.patience, hang_ms=2000 * options.patience)
    reducer = Reducer(judge, program, difference, options.seconds)
    repeats = reducer.run()
    judge.stop()
    folder = os.path.abspath(os.path.join(options.keep, f'{options.stages}-{program.seed}'))
    case.save(program, difference, folder)
    text = [] if repeats else ['it does not happen again with the same module']
    text += [indent(source) for _, source in program.sources()]
    text += [str(difference), f'{sum(len(s) for _, s in program.sources())} characters after {reducer.tries} tries. Once more:',
             f'{sys.argv[0]} {options.tools} {options.icd} {options.reference} --repeat {folder}']
    return '\n'.join(text)


def work(options, next_number, results):
    """Worker process: takes program numbers until none is left."""
    judge = Judge(options.tools, options.icd, options.reference, options.patience)
    while True:
        with next_number.get_lock():
            number = next_number.value
            next_number.value += 1
        if number >= options.count:
            break
        seed = options.seed + number
        names = generate.stages_of(seed, options.stages)
        try:
            program = generate.program(seed, options.stages)
            difference = judge.judge(program)
            text = str(difference or '')
            if difference and options.keep:
                text += '\n' + keep_smallest(options, program, difference)
            results.put((seed, names, 'different' if difference else 'agree', text))
        except Unsuitable as e:
            results.put((seed, names, 'unsuitable', str(e)))
        except Exception:  # an error in the fuzzer
            results.put((seed, names, 'broken', traceback.format_exc()))
    judge.stop()
    results.put((judge.notes, None, None, None))


def tell(text):
    print('\n'.join('# ' + line[:300] for line in text.rstrip().split('\n')[:120]), flush=True)


class Counts:
    def __init__(self):
        self.of = {names: {'agree': 0, 'different': 0, 'unsuitable': 0, 'broken': 0} for names in STAGES}
        self.notes = {}

    def total(self, what=None):
        return sum(n for counts in self.of.values() for w, n in counts.items() if what in (None, w))


def run(options):
    results, next_number = multiprocessing.Queue(), multiprocessing.Value('q', 0)
    workers = [multiprocessing.Process(target=work, args=(options, next_number, results)) for _ in range(options.jobs)]
    for w in workers:
        w.start()
    counts, left, begun = Counts(), options.jobs, time.monotonic()
    told = begun
    while left:
        try:
            seed, names, what, text = results.get(timeout=5)
        except queue.Empty:
            if any(w.is_alive() for w in workers):
                continue
            tell('the workers died')
            break
        if names is None:
            left -= 1
            for note, n in seed.items():
                counts.notes[note] = counts.notes.get(note, 0) + n
            continue
        counts.of[names][what] += 1
        if what != 'agree':
            tell(f'{what}: seed {seed}: {text}')
        if time.monotonic() - told > 60:
            told = time.monotonic()
            tell(f'{counts.total()} programs, {counts.total("different")} differ, {told - begun:.0f} s')
    for w in workers:
        w.join()
    return counts, left, time.monotonic() - begun


def report(options, counts, died, seconds):
    """Prints TAP, one test for compute and one for graphics. Programs that cannot be judged must be rare."""
    is_fine = not died
    print(f'1..{len(STAGES)}')
    for number, (names, title) in enumerate(STAGES.items(), 1):
        c = counts.of[names]
        good = not died and not c['different'] and not c['broken'] and c['unsuitable'] * 50 <= c['agree'] + 50
        is_fine = is_fine and good
        print(f'{"ok" if good else "not ok"} {number} - {sum(c.values())} {title}: {c["agree"]} as the reference, '
              f'{c["different"]} different, {c["unsuitable"]} not judged, {c["broken"]} not made')
    tell(f'seeds {options.seed} to {options.seed + options.count - 1}, {seconds:.0f} s')
    for note, n in counts.notes.items():
        tell(f'{n} times: {note}')
    return is_fine


def repeat(options):
    judge = Judge(options.tools, options.icd, options.reference, options.patience, hang_ms=2000 * options.patience)
    program, like = case.load(options.repeat)
    try:
        difference = judge.repeat(program, like)
        print(difference or 'no difference')
        return not difference
    finally:
        judge.stop()


def cases(options):
    """Runs all saved programs of a folder again. Prints TAP."""
    judge = Judge(options.tools, options.icd, options.reference, options.patience)
    names, is_fine = sorted(os.listdir(options.cases)), True
    print(f'1..{len(names)}')
    for number, name in enumerate(names, 1):
        try:
            difference = judge.repeat(*case.load(os.path.join(options.cases, name)))
        except Unsuitable as e:  # it differs, and the reference contradicts itself
            difference = e
        is_fine = is_fine and not difference
        if difference:
            tell(str(difference))
        print(f'{"not ok" if difference else "ok"} {number} - {name}', flush=True)
    judge.stop()
    return is_fine


def main():
    full = os.environ.get('VKT_FUZZ') == 'full'
    parser = argparse.ArgumentParser(description='random GLSL programs on this driver and on the reference')
    parser.add_argument('tools', help='the folder of glsl_compile and glsl_run')
    parser.add_argument('icd', help='manifest of the driver under test')
    parser.add_argument('reference', help='manifest of the reference')
    parser.add_argument('--count', type=int, default=100000 if full else 200, help='how many programs')
    parser.add_argument('--seed', type=int, default=int(os.environ.get('VKT_SEED', '1')), help='the first one')
    parser.add_argument('--jobs', type=int, default=len(os.sched_getaffinity(0)), help='how many at a time')
    parser.add_argument('--patience', type=int, default=1, help='factor of all time limits')
    parser.add_argument('--stages', choices=('all', 'comp', 'draw'), default='all')
    parser.add_argument('--seconds', type=float, default=300, help='how long one difference may be reduced')
    parser.add_argument('--keep', help='folder for programs that differ, made as small as they go')
    parser.add_argument('--repeat', metavar='FOLDER', help='a program that was kept, as its files are now')
    parser.add_argument('--cases', metavar='FOLDER', help='all programs in a folder')
    options = parser.parse_args()
    if not options.reference:
        print('# no judge: lavapipe: not installed\n1..0 # SKIP no lavapipe')
        return True
    if options.repeat:
        return repeat(options)
    print('# judge: lavapipe', flush=True)
    if options.cases:
        return cases(options)
    return report(options, *run(options))


if __name__ == '__main__':
    sys.exit(0 if main() else 1)
