#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# Checks programs that run on the chip, taken from the recorded jobs: each must pass the hazard checker, and its
# disassembly must assemble to the same words. Prints TAP.
#
#   check_programs.py VC4_QPU JOBS_DIR
import pathlib, re, struct, subprocess, sys, tempfile

tool, jobs = sys.argv[1], sorted(pathlib.Path(sys.argv[2]).glob('*.vc4trace'))
if not jobs:
    print(f'Bail out! no recorded jobs in {sys.argv[2]}')
    sys.exit(1)


def assembles_to_itself(listing):
    """None if the listing assembles to the words that it was disassembled from, else what went wrong."""
    words = [int(w, 16) for w in re.findall(r'^ *\d+: 0x([0-9a-f]{16}) ', listing, re.M)]
    with tempfile.TemporaryDirectory() as folder:
        text, binary = pathlib.Path(folder, 'in.txt'), pathlib.Path(folder, 'out.bin')
        text.write_text(listing)
        run = subprocess.run([tool, 'asm', text, binary], capture_output=True, text=True)
        if run.returncode:
            return run.stderr.strip()
        got = binary.read_bytes()
    return None if got == struct.pack(f'<{len(words)}Q', *words) else 'assembled text gives other words'


print(f'1..{len(jobs)}')
failed = False
for n, job in enumerate(jobs, 1):
    run = subprocess.run([tool, 'check', job], capture_output=True, text=True)
    programs = run.stdout.count(' instructions\n')
    ok = run.returncode == 0 and (programs > 0 or job.stem == 'clear_only')
    trouble = assembles_to_itself(run.stdout)
    ok = ok and not trouble
    failed |= not ok
    print(f'{"ok" if ok else "not ok"} {n} - {job.stem}: {programs} programs')
    if not ok:
        for line in run.stdout.splitlines() + run.stderr.splitlines():
            if line.startswith(('# H', '# end')) or not line.startswith((' ', '#')):
                print('#', line)
        if trouble:
            print('#', trouble)
sys.exit(failed)
