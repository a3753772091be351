#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# Usage: environment_reads.py ROOT
#
# Fails if any file in src/ other than src/util/environment.c reads environment variables. Prints TAP.
import pathlib, re, sys

ALLOWED = 'util/environment.c'
READ = re.compile(r'\b((?:secure_|__secure_)?getenv|environ|__environ)\b')
# Strings come first, so that /* or // inside a string does not start a comment.
COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.S)


def reads(text):
    """Yields the line number and the name of each read of an environment variable in C text."""
    text = COMMENT.sub(lambda m: re.sub(r'[^\n]', ' ', m.group(0)), text)
    for number, line in enumerate(text.splitlines(), 1):
        for name in READ.findall(line):
            yield number, name


def main():
    src = pathlib.Path(sys.argv[1]) / 'src'
    found, allowed = [], False
    for path in sorted(src.rglob('*')):
        if path.suffix not in ('.c', '.h', '.py'):
            continue
        for number, name in reads(path.read_text()):
            if str(path.relative_to(src)) == ALLOWED:
                allowed = True
            else:
                found.append(f'src/{path.relative_to(src)}:{number}: {name}: use util_environment() instead')
    caught = [name for _, name in reads('x = getenv(name); /* getenv */ y = "getenv";\nz = secure_getenv(name);')]
    cases = [('variables are read in one place', found),
             ('that place reads them', [] if allowed else [f'src/{ALLOWED} reads none']),
             ('a read elsewhere is caught', [] if caught == ['getenv', 'secure_getenv'] else [f'found {caught}'])]
    print(f'1..{len(cases)}')
    for i, (title, lines) in enumerate(cases, 1):
        print(f'{"not ok" if lines else "ok"} {i} - {title}')
        for line in lines:
            print(f'# {line}')
    return any(lines for _, lines in cases)


sys.exit(main())
