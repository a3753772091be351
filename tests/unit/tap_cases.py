# SPDX-License-Identifier: MIT
"""Runs the cases of a Python test and prints TAP."""
import shutil
import tempfile


def run(cases, make):
    """Runs each case on what `make` makes of a new folder. Returns the exit status. Without git all are skipped."""
    if not shutil.which('git'):
        print('1..0 # SKIP git is not installed')
        return 0
    print(f'1..{len(cases)}')
    status = 0
    for number, case in enumerate(cases, 1):
        with tempfile.TemporaryDirectory() as folder:
            try:
                case(make(folder))
                print(f'ok {number} - {case.__name__}')
            except Exception as e:
                status = 1
                print(f'not ok {number} - {case.__name__}')
                print('# ' + repr(e).replace('\\n', '\n# '))
    return status
