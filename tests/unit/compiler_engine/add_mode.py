#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Adds an execution mode without operands to the entry point of a module: add_mode.py MODULE OUT NUMBER

For modes that the installed GLSL compiler does not know.
"""
import struct
import sys

EXECUTION_MODE = 16


def main():
    module, out, mode = sys.argv[1], sys.argv[2], int(sys.argv[3])
    data = open(module, 'rb').read()
    words, at = list(struct.unpack(f'<{len(data) // 4}I', data)), 5
    while words[at] & 0xffff != EXECUTION_MODE:
        at += words[at] >> 16
    words[at:at] = [3 << 16 | EXECUTION_MODE, words[at + 1], mode]
    open(out, 'wb').write(struct.pack(f'<{len(words)}I', *words))


main()
