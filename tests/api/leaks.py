#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# leaks.py LEAKS: checks the leak check of vkt_leaks.c. Leaks of the driver must be found and named even when the loader
# or the validation layer is in their stacks, and a program that destroys everything must pass, whatever the loader and
# the layer themselves leak. Prints TAP. For builds with the address sanitizer.
import subprocess, sys


def run(*planted):
    done = subprocess.run([sys.argv[1], *planted], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def leaks(*planted):
    status, text = run(*planted)
    entries = {'surface': 'CreateHeadlessSurface', 'fence': 'fence_create'}
    found = all(entries[what] in text for what in planted) and 'leaks of this driver' in text
    return status == 1 and found and 'libvulkan_vc4vk' in text, text


def none():
    status, text = run()
    return status == 0 and 'leak' not in text, text


cases = {'nothing is planted': none, 'a surface behind the loader': lambda: leaks('surface'),
         'a fence behind the layer': lambda: leaks('fence'), 'both': lambda: leaks('surface', 'fence')}
print(f'1..{len(cases)}')
failed = False
for number, (name, case) in enumerate(cases.items(), 1):
    good, text = case()
    failed |= not good
    print(f'{"ok" if good else "not ok"} {number} - {name}')
    if not good:
        print(*(f'# {line}' for line in text.splitlines()), sep='\n')
sys.exit(failed)
