#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that the accuracy of GPU_FFT 3.0 on the model is the one that its page documents for a Raspberry Pi. Prints
TAP.

    gpu_fft.py LIBBCM_HOST

The variable GPU_FFT names GPU_FFT's own example program, linked with LIBBCM_HOST instead of its mailbox; without it the
test is skipped. README.md says what the program needs. It prints the relative rms error of an inverse transform of two
spikes.
"""
import math
import os
import re
import subprocess
import sys

# log2 of the number of points: error in parts per million, to the documented digits.
DOCUMENTED = {8: 0.33, 9: 0.46, 10: 0.52, 11: 0.59, 12: 0.78, 13: 0.83, 14: 0.92, 15: 0.98, 16: 1.0, 17: 1.3, 18: 1.3}
TIMEOUT_S = 240


def two_digits(x):
    return round(x, 1 - math.floor(math.log10(x)))


def error_ppm(program, library, log2_points):
    environment = {**os.environ, 'LD_LIBRARY_PATH': os.path.dirname(os.path.abspath(library))}
    run = subprocess.run([program, str(log2_points)], capture_output=True, text=True, env=environment, timeout=TIMEOUT_S)
    found = re.search(r'rel_rms_err = ([\d.e+-]+)', run.stdout)
    return round(float(found[1]) * 1e6, 4) if run.returncode == 0 and found else None


def main():
    program = os.environ.get('GPU_FFT')
    if not program:
        print("1..0 # SKIP GPU_FFT names no program of GPU_FFT's")
        return 0
    failed = 0
    print(f'1..{len(DOCUMENTED)}')
    for number, (log2_points, documented) in enumerate(DOCUMENTED.items(), 1):
        got = error_ppm(program, sys.argv[1], log2_points)
        bad = got is None or two_digits(got) != documented
        failed += bad
        print(f'{"not ok" if bad else "ok"} {number} - 2^{log2_points}: {got} ppm, on the chip {documented}', flush=True)
    return failed > 0


sys.exit(main())
