#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# Runs dEQP-GLES2 with Mesa's unmodified vc4 driver on the DRM shim and compares each result with what silicon does. The
# judge is Mesa's record of a Raspberry Pi 3 (broadcom-rpi3-fails.txt, -flakes, -skips in src/broadcom/ci of its sources):
# what is in no list passes there. Builds nothing and contains no list.
#
#   deqp_gles2.py --deqp BINARY --mesa PREFIX --lists DIR --build DIR [--cases FILE] [--every N] [--first I]
#                 [--match REGEX] [--results FILE]
#
# --mesa is the prefix that Mesa was installed to, --lists the folder of the record, --build the build folder of this tree.
# --cases is a list of names, one a line, such as dEQP's gles2-master.txt; without it all functional cases of the binary
# run. --every N takes each N-th, beginning with the I-th. The table goes to stdout, the names of the disagreeing cases
# behind it, each result to --results as it comes. Exits with 1 when fewer than 99 % agree.
import argparse, os, pathlib, re, select, subprocess, sys, tempfile, time

CASES_PER_PROCESS = 200
SILENCE_S = 120  # a process that says nothing for so long hangs
GOAL_PERCENT = 99.0

OPTIONS = ['--deqp-surface-width=256', '--deqp-surface-height=256', '--deqp-surface-type=pbuffer',
           '--deqp-gl-config-name=rgba8888d24s8ms0', '--deqp-visibility=hidden', '--deqp-log-images=disable',
           '--deqp-log-shader-sources=disable']
PASSED = {'Pass', 'NotSupported', 'QualityWarning', 'CompatibilityWarning', 'Waiver'}


class Record:
    """What silicon does."""

    def __init__(self, folder):
        def lines(kind):
            text = (folder / f'broadcom-rpi3-{kind}.txt').read_text()
            return [line.strip() for line in text.splitlines() if line.strip() and not line.startswith('#')]
        self.fails = {line.rpartition(',')[0] for line in lines('fails')}
        self.flakes = [re.compile(line) for line in lines('flakes')]
        self.skips = [re.compile(line) for line in lines('skips')]

    def skipped(self, name):
        return any(skip.match(name) for skip in self.skips)

    def agrees(self, name, status):
        if any(flake.fullmatch(name) for flake in self.flakes):
            return True
        return (status in PASSED) != (name in self.fails)


def environment(args):
    library = next((d for d in (args.mesa / 'lib').rglob('dri') if (d / 'vc4_dri.so').exists()), None)
    if not library:
        sys.exit(f'{args.mesa}: no vc4_dri.so below lib/')
    shim = args.build / 'src/shim/libvc4_drm_shim.so'
    if not shim.exists():
        sys.exit(f'{shim}: not there')
    return {**os.environ, 'LD_LIBRARY_PATH': str(library.parent), 'LIBGL_DRIVERS_PATH': str(library),
            'GBM_BACKENDS_PATH': str(library.parent / 'gbm'), 'EGL_PLATFORM': 'surfaceless', 'LD_PRELOAD': str(shim)}


def command(args, log, *more):
    return [str(args.deqp), f'--deqp-log-filename={log}', *OPTIONS, *more]


def all_cases(args, env, scratch):
    """The functional cases that the binary has. It writes the list into its working directory."""
    subprocess.run(command(args, scratch / 'list.qpa', '--deqp-runmode=txt-caselist'), cwd=scratch, env=env,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    text = (scratch / 'dEQP-GLES2-cases.txt').read_text()
    return re.findall(r'^TEST: (dEQP-GLES2\.(?:functional|capability)\.\S+)', text, re.M)


def said_lines(process):
    """The lines that a process writes, until it ends or is silent for too long. Kills it in the second case."""
    rest = b''
    while True:
        if not select.select([process.stdout], [], [], SILENCE_S)[0]:
            process.kill()
            return
        data = os.read(process.stdout.fileno(), 65536)
        if not data:
            return
        *lines, rest = (rest + data).split(b'\n')
        yield from (line.decode(errors='replace') for line in lines)


def run_process(args, env, scratch, names):
    """Runs cases in one process; yields (name, status, seconds) of those that it came to."""
    (scratch / 'cases.txt').write_text('\n'.join(names) + '\n')
    process = subprocess.Popen(command(args, scratch / 'run.qpa', f'--deqp-caselist-file={scratch / "cases.txt"}'),
                               cwd=scratch, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    current, began = None, time.monotonic()
    for line in said_lines(process):
        if found := re.match(r"Test case '(.*)'\.\.", line):
            current, began = found[1], time.monotonic()
        elif current and (found := re.match(r'  (\w+) \(', line)):
            yield current, found[1], time.monotonic() - began
            current = None
    code = process.wait()
    if current:
        seconds = time.monotonic() - began
        yield current, 'Timeout' if seconds >= SILENCE_S else f'Crash{code}', seconds


def run_all(args, env, scratch, names):
    """Runs all cases, whatever happens to the processes; yields (name, status, seconds)."""
    left = list(names)
    while left:
        chunk = left[:CASES_PER_PROCESS]
        done = set()
        for result in run_process(args, env, scratch, chunk):
            done.add(result[0])
            yield result
        if not done:  # it did not even start: the first case takes the blame
            done.add(chunk[0])
            yield chunk[0], 'NotRun', 0.0
        left = [name for name in chunk if name not in done] + left[CASES_PER_PROCESS:]


def group_of(name):
    return '.'.join(name.split('.')[1:3])


def print_table(record, results):
    groups = {}
    for name, status, seconds in results:
        row = groups.setdefault(group_of(name), [0, 0, 0, 0.0])
        row[0] += 1
        row[1] += status in PASSED
        row[2] += record.agrees(name, status)
        row[3] += seconds
    total = [sum(row[i] for row in groups.values()) for i in range(4)]
    print(f'{"group":40} {"cases":>6} {"passed":>6} {"agree":>6} {"%":>7} {"seconds":>8}')
    for group, row in [*sorted(groups.items()), ('all', total)]:
        print(f'{group:40} {row[0]:6} {row[1]:6} {row[2]:6} {100 * row[2] / max(row[0], 1):7.2f} {row[3]:8.1f}')
    for name, status, seconds in results:
        if not record.agrees(name, status):
            print(f'  {name}: {status}, silicon: {"Fail" if name in record.fails else "Pass"}')
    return 100 * total[2] / max(total[0], 1)


def main():
    parser = argparse.ArgumentParser(description='dEQP-GLES2 with Mesa on the DRM shim, against what silicon does')
    for name in 'deqp', 'mesa', 'lists', 'build':
        parser.add_argument(f'--{name}', type=lambda text: pathlib.Path(text).resolve(), required=True)
    parser.add_argument('--cases', type=pathlib.Path)
    parser.add_argument('--every', type=int, default=1)
    parser.add_argument('--first', type=int, default=0)
    parser.add_argument('--match', type=re.compile, default=re.compile(''))
    parser.add_argument('--results', type=pathlib.Path)
    args = parser.parse_args()

    record, env = Record(args.lists), environment(args)
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        (scratch / 'gles2').symlink_to(args.deqp.parent / 'gles2')  # data, looked for in the working directory
        names = args.cases.read_text().split() if args.cases else all_cases(args, env, scratch)
        names = [name for name in names if args.match.search(name) and not record.skipped(name)]
        results = []
        for result in run_all(args, env, scratch, names[args.first::args.every]):
            results.append(result)
            if args.results:
                with args.results.open('a') as out:
                    out.write('%s %s %.2f\n' % result)
    if not results:
        sys.exit('no case was run')
    return 0 if print_table(record, results) >= GOAL_PERCENT else 1


if __name__ == '__main__':
    sys.exit(main())
