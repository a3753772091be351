#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# The hazard checker against programs that run on the chip: every program of the recorded jobs must pass. Prints TAP.
#
#   check_programs.py VC4_QPU JOBS_DIR
import pathlib, subprocess, sys

tool, jobs = sys.argv[1], sorted(pathlib.Path(sys.argv[2]).glob('*.vc4trace'))
if not jobs:
    print('1..0 # SKIP no recorded jobs')
    sys.exit(0)
print(f'1..{len(jobs)}')
failed = False
for n, job in enumerate(jobs, 1):
    run = subprocess.run([tool, 'check', job], capture_output=True, text=True)
    programs = run.stdout.count(' instructions\n')
    ok = run.returncode == 0 and (programs > 0 or job.stem == 'clear_only')
    failed |= not ok
    print(f'{"ok" if ok else "not ok"} {n} - {job.stem}: {programs} programs')
    if not ok:
        for line in run.stdout.splitlines() + run.stderr.splitlines():
            if line.startswith(('# H', '# end')) or not line.startswith((' ', '#')):
                print('#', line)
sys.exit(failed)
