# SPDX-License-Identifier: MIT
#
# Helpers for generators that read the Khronos registry, vk.xml. The registry grows: unknown elements, attributes,
# versions, APIs and platforms are ignored. Later registries list the contents of Vulkan 1.0 and 1.1 in other feature
# elements, on which the versions depend, so features_of follows dependencies.
import re


def is_ours(node):
    """Whether the node belongs to Vulkan and not only to another API of the registry (vulkansc)."""
    return 'vulkan' in node.get('api', 'vulkan').split(',')


def text_of(node):
    """The C text of a declaration, without comments."""
    parts = [node.text or '']
    for child in node:
        parts += ['' if child.tag == 'comment' else text_of(child), child.tail or '']
    return ' '.join(''.join(parts).split())


def read_rows(path):
    """{extension name: 'instance' or 'device'} of vc4vk_extensions.h."""
    rows, kind = {}, None
    for line in open(path):
        start = re.match(r'#define VC4VK_(INSTANCE|DEVICE)_EXTENSIONS\(X\)', line)
        if start:
            kind = start.group(1).lower()
        row = re.match(r'\s+X\((\w+), \d+, [\w()]+\)\s', line)
        if row:
            rows['VK_' + row.group(1)] = kind
    assert rows, 'no extension rows found'
    return rows


def names_in(depends):
    """The versions, extensions and features named by a dependency expression."""
    return re.findall(r'[\w:]+', depends or '')


def is_met(depends, have):
    """Whether the names in `have` satisfy a dependency: names joined by + (and) or , (or), with parentheses."""
    tokens = re.findall(r'[\w:]+|[+,()]', depends or '')
    at = 0

    def term():
        nonlocal at
        at += 1
        if tokens[at - 1] != '(':
            return tokens[at - 1] in have
        value = expression()
        at += 1
        return value

    # The two operators have the same precedence and are evaluated from left to right.
    def expression():
        nonlocal at
        value = term()
        while at < len(tokens) and tokens[at] in '+,':
            operator, at = tokens[at], at + 1
            other = term()
            value = value and other if operator == '+' else value or other
        return value

    return expression() if tokens else True


def features_of(root, version, seen):
    """The feature elements of a version and of its dependencies, without those already `seen`."""
    found = []
    for feature in root.findall('feature'):
        if feature.get('name') == version and version not in seen and is_ours(feature):
            seen.add(version)
            for name in names_in(feature.get('depends')):
                found += features_of(root, name, seen)
            found.append(feature)
    return found
