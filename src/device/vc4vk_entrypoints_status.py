#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# Lists which module defines each entry point and which entry points have only their weak stub, from the libraries'
# symbol tables.
#
#   vc4vk_entrypoints_status.py nm vc4vk_entrypoints_gen.h out.txt libmodule.a...
import pathlib, re, subprocess, sys


def strong_symbols(nm, library):
    lines = subprocess.run([nm, '--defined-only', library], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r' T (vc4vk_[A-Z]\w*)$', lines, re.M))


def main():
    nm, header, out, *libraries = sys.argv[1:]
    names = re.findall(r'VKAPI_CALL (vc4vk_\w+)\(', pathlib.Path(header).read_text())
    owner = {}
    for library in libraries:
        module = re.sub(r'^libvc4vk_|\.a$', '', pathlib.Path(library).name)
        for symbol in strong_symbols(nm, library):
            owner[symbol] = module
    missing = [n for n in names if n not in owner]
    text = [f'{len(names) - len(missing)} of {len(names)} entry points are implemented.', '', 'Weak stubs only:']
    text += [f'  {n.replace("vc4vk_", "vk")}' for n in missing] + ['', 'Implemented:']
    text += [f'  {n.replace("vc4vk_", "vk"):56} {owner[n]}' for n in names if n in owner]
    pathlib.Path(out).write_text('\n'.join(text) + '\n')


main()
