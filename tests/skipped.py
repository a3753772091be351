#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reports tests that a build leaves out, so that the summary counts and prints them: skipped.py NAME=REASON...

Prints TAP."""
import sys

print(f'1..{len(sys.argv) - 1}')
for number, argument in enumerate(sys.argv[1:], 1):
    name, _, reason = argument.partition('=')
    print(f'ok {number} - {name} # SKIP {reason}')
