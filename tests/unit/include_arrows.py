#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# The arrows between the rooms run one way only: reads every #include "room/..." of src/ and fails on a crossing that
# the table does not allow. Prints TAP, one case per room, and checks itself against a crossing made up on purpose.
import pathlib, re, sys

ROOMS = {
    'util': [],
    'hw': ['util'],
    'compiler': ['hw', 'util'],
    'model': ['hw', 'util'],
    'kmd': ['model', 'hw', 'util'],
    'inspect': ['kmd', 'model', 'hw', 'util'],
    'queue': ['inspect', 'kmd', 'hw', 'util'],
    'device': ['queue', 'inspect', 'kmd', 'hw', 'util'],
    'descriptor': ['device', 'queue', 'kmd', 'hw', 'util'],
    'pipeline': ['descriptor', 'device', 'queue', 'inspect', 'kmd', 'compiler', 'hw', 'util'],
    'meta': ['pipeline', 'descriptor', 'device', 'queue', 'hw', 'util'],
    'cmdbuf': ['meta', 'pipeline', 'descriptor', 'device', 'queue', 'inspect', 'kmd', 'hw', 'util'],
    'wsi': ['device', 'queue', 'inspect', 'kmd', 'util'],
    'shim': ['model', 'util'],
}
# Rooms with doors; every other header of theirs is private.
DOORS = {'compiler': {'compiler/vc4c.h'}, 'model': {'model/model.h', 'model/model_stats.h'},
         'inspect': {'inspect/inspect.h'}}
# Rooms that know no Vulkan at all.
PURE = {'util', 'hw', 'compiler', 'model', 'inspect'}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]', re.M)


def crossings(room, text):
    for quote, name in INCLUDE.findall(text):
        if quote == '<':
            if room in PURE and name.startswith('vulkan/'):
                yield f'<{name}>: {room} knows no Vulkan'
            continue
        other = name.split('/')[0] if '/' in name else None
        if other is None or other not in ROOMS or other == room:
            continue
        if other not in ROOMS[room]:
            yield f'"{name}": {room} may not include {other}'
        elif other in DOORS and name not in DOORS[other]:
            yield f'"{name}": not a door of {other}'


def main():
    src = pathlib.Path(sys.argv[1]) / 'src'
    cases = []
    for room in ROOMS:
        found = []
        for path in sorted((src / room).rglob('*')):
            if path.suffix in ('.c', '.h', '.py'):
                found += [f'{path.relative_to(src)}: {c}' for c in crossings(room, path.read_text())]
        cases.append((f'room {room}', found))
    unknown = [p.name for p in src.iterdir() if p.is_dir() and p.name not in ROOMS]
    cases.append(('no unknown room', unknown))
    caught = list(crossings('hw', '#include "kmd/kmd.h"\n')) and list(crossings('kmd', '#include "model/gpu/gpu.h"\n')) \
        and list(crossings('compiler', '#include <vulkan/vulkan.h>\n'))
    cases.append(('a crossing is caught', [] if caught else ['the checker let a forbidden include through']))
    print(f'1..{len(cases)}')
    for i, (name, found) in enumerate(cases, 1):
        print(f'{"not ok" if found else "ok"} {i} - {name}')
        for f in found:
            print(f'# {f}')
    return any(found for _, found in cases)


sys.exit(main())
