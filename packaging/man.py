#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# Generates manual pages from the documents: vc4vk(7) from docs/variables.md, and a page for each tool from its row and
# its paragraph in docs/tools.md.
#
#   man.py VERSION DOCS PAGE > out          PAGE: vc4vk.7, vc4vk-info.1, ...
import pathlib, re, sys


def troff(text):
    """Converts the Markdown of one paragraph to troff."""
    text = re.sub(r'\[([^\]]*)\]\([^)]*\)', r'\1', text).replace('\\|', '|')
    text = text.replace('\\', '\\e').replace('-', '\\-')
    text = re.sub(r'`([^`]*)`|\*\*([^*]*)\*\*', lambda m: f'\\fB{m[1] or m[2]}\\fR', text)
    text = re.sub(r'\*([^*]*)\*', r'\\fI\1\\fR', text)
    return re.sub(r"^([.'])", r'\\&\1', text, flags=re.M)


def rows(text):
    """Returns the rows of the first table, each a list of cells."""
    found = []
    for line in text.split('\n'):
        if line.startswith('|'):
            found.append([cell.strip() for cell in re.split(r'(?<!\\)\|', line)[1:-1]])
        elif found:
            break
    return found[2:]


def paragraphs(text):
    return [p for p in text.split('\n\n') if not p.lstrip().startswith(('|', '#'))]


def head(name, section, version):
    return f'.TH {name.upper()} {section} "" "vc4vk {version}" "vc4vk"'


def variables_page(version, docs):
    text = (docs / 'variables.md').read_text().split('\n## For tests')[0]
    variables, words = text.split('\n## Words of VC4VK_DEBUG\n')
    out = [head('vc4vk', 7, version), '.SH NAME', 'vc4vk \\- Vulkan driver for Broadcom VideoCore IV, and for a model of it',
           '.SH DESCRIPTION', 'The Vulkan loader finds the driver by its manifest; nothing has to be configured. What it '
           'supports on a machine is listed by', '.BR vc4vk\\-info (1).', '.SH ENVIRONMENT']
    for name, meaning in rows(variables):
        out += ['.TP', troff(name), troff(meaning)]
    for p in paragraphs(variables):
        out += ['.PP', troff(p)]
    out += ['.SH WORDS OF VC4VK_DEBUG']
    for name, meaning in rows(words):
        out += ['.TP', troff(name), troff(meaning)]
    return out + ['.SH FILES', '.TP', '/usr/share/vulkan/icd.d/vc4vk_icd.*.json', 'The manifest that the loader reads.', '.TP',
                  '/usr/share/doc/vc4vk', 'The documentation: how the driver works, and what it does not support.',
                  '.SH SEE ALSO', '.BR vc4vk\\-info (1),', '.BR vc4c (1),', '.BR vc4\\-qpu (1),', '.BR vc4\\-cl (1),',
                  '.BR vc4\\-replay (1)']


def tool_page(version, docs, tool):
    text = (docs / 'tools.md').read_text()
    usage, what = next((u, w) for u, w in rows(text) if re.match(rf'`{tool}\b(?!-)', u))
    exit_status = next(p for p in paragraphs(text) if p.startswith('Exit status: '))
    more = [p for p in paragraphs(text) if p.startswith(f'**{tool}**')]
    summary = re.split(r'[:;(]', what)[0].strip()
    out = [head(tool, 1, version), '.SH NAME', f'{troff(tool)} \\- {troff(summary)}', '.SH SYNOPSIS', troff(usage),
           '.SH DESCRIPTION', troff(what[0].upper() + what[1:]) + '.']
    for p in more:
        out += ['.PP', troff(p)]
    return out + ['.SH EXIT STATUS', troff(exit_status.removeprefix('Exit status: ')), '.SH SEE ALSO', '.BR vc4vk (7)']


def main():
    version, docs, page = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
    name, section = page.rsplit('.', 1)
    print('\n'.join(variables_page(version, docs) if section == '7' else tool_page(version, docs, name)))


main()
