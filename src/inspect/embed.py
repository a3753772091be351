#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# Embeds text files in a C file: embed.py OUT NAME=FILE ... defines `const char NAME[]` for each. Refuses "</", which
# would end the <script> or <style> element on a page.
import pathlib, sys


def main():
    out = ['/* Made by inspect/embed.py. */', 'extern const char inspect_page_css[], inspect_page_js[];']
    for argument in sys.argv[2:]:
        name, path = argument.split('=', 1)
        text = pathlib.Path(path).read_text()
        if '</' in text:
            sys.exit(f'{path}: contains "</", which would end its <script> or <style> element on the page')
        out.append(f'const char {name}[] =')
        for line in text.splitlines(keepends=True):
            quoted = line.replace('\\', '\\\\').replace('"', '\\"').replace('\n', '\\n').replace('?', '\\?')
            out.append(f'    "{quoted}"')
        out.append('    ;')
    pathlib.Path(sys.argv[1]).write_text('\n'.join(out) + '\n')


main()
