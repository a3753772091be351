#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# Dependencies between the modules of src/ run one way only, and to public headers only: reads every #include "module/..."
# and fails on one that the two tables do not allow. A header that is listed as public and that no other module includes
# fails as well: it is private again. Prints TAP, one case per module, and checks itself against includes made up on
# purpose.
import pathlib, re, sys

MODULES = {
    'util': [],
    'hw': ['util'],
    'compiler': ['hw', 'util'],
    'model': ['hw', 'util'],
    'kmd': ['model', 'hw', 'util'],
    'inspect': ['kmd', 'model', 'hw', 'util'],
    'engine': ['inspect', 'kmd', 'hw', 'util'],
    'queue': ['engine', 'inspect', 'kmd', 'hw', 'util'],
    'device': ['queue', 'engine', 'inspect', 'kmd', 'hw', 'util'],
    'descriptor': ['device', 'queue', 'engine', 'kmd', 'hw', 'util'],
    'pipeline': ['descriptor', 'device', 'queue', 'engine', 'inspect', 'kmd', 'compiler', 'hw', 'util'],
    'transfer': ['descriptor', 'device', 'queue', 'engine', 'inspect', 'kmd', 'hw', 'util'],
    'issue': ['transfer', 'pipeline', 'descriptor', 'device', 'queue', 'engine', 'inspect', 'kmd', 'hw', 'util'],
    'cmdbuf': ['issue', 'transfer', 'pipeline', 'descriptor', 'device', 'queue', 'engine', 'inspect', 'kmd', 'hw', 'util'],
    'wsi': ['device', 'queue', 'engine', 'inspect', 'kmd', 'util'],
    'shim': ['model', 'util'],
}
# The headers of each module that others may include; all others are private.
PUBLIC = {
    'util': ['alloc', 'arena', 'bitset', 'build_id', 'debug', 'digest', 'disk_cache', 'environment', 'hash', 'json', 'list',
             'log', 'macros', 'memfd', 'png', 'pool', 'stream', 'thread', 'trace',
             'utf8'],
    'hw': ['cl', 'cl_gen', 'codec', 'expr', 'format', 'layout', 'qpu', 'tex'],
    'compiler': ['vc4c'],
    'model': ['model', 'model_stats'],
    'kmd': ['kmd'],
    'inspect': ['inspect'],
    'engine': ['vc4vk_command', 'vc4vk_engine', 'vc4vk_job', 'vc4vk_parallel', 'vc4vk_timeline'],
    'queue': ['vc4vk_alloc', 'vc4vk_external', 'vc4vk_handle', 'vc4vk_label', 'vc4vk_performance', 'vc4vk_query',
              'vc4vk_queue', 'vc4vk_sync'],
    'device': ['vc4vk_device', 'vc4vk_entrypoints_gen', 'vc4vk_error', 'vc4vk_format', 'vc4vk_ignored_bits', 'vc4vk_memory',
               'vc4vk_multialloc', 'vc4vk_object', 'vc4vk_physical_device', 'vc4vk_render_pass', 'vc4vk_test_hooks'],
    'descriptor': ['vc4vk_binding_table', 'vc4vk_descriptor_set', 'vc4vk_descriptor_type', 'vc4vk_update_template',
                   'vc4vk_upload_ring', 'vc4vk_view'],
    'pipeline': ['vc4vk_pipeline', 'vc4vk_pipeline_stage', 'vc4vk_pipeline_state'],
    'transfer': ['vc4vk_job_surface', 'vc4vk_staging', 'vc4vk_tile_transfer', 'vc4vk_transfer'],
    'issue': ['vc4vk_dispatch', 'vc4vk_draw_job', 'vc4vk_issue', 'vc4vk_job_limits'],
    'cmdbuf': [],
    'wsi': [],
    'shim': [],
}
# The parts of the largest module, and what each may include of the others. Besides its own headers each may include the
# module's public ones; what stands in the module's folder itself joins the parts.
PARTS = {
    'compiler/ir': [],
    'compiler/lower': ['compiler/ir'],
    'compiler/spirv': ['compiler/lower', 'compiler/ir'],
    'compiler/qpu': ['compiler/ir'],
}
# No module, and no part of one that has parts, holds more than a quarter of the code.
MAX_SHARE = 0.25
# Modules that know no Vulkan at all.
PURE = {'util', 'hw', 'compiler', 'model', 'inspect'}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]', re.M)


def crossings(module, text):
    for quote, name in INCLUDE.findall(text):
        if quote == '<':
            if module in PURE and name.startswith('vulkan/'):
                yield f'<{name}>: {module} knows no Vulkan'
            continue
        other = name.split('/')[0] if '/' in name else None
        if other is None or other not in MODULES or other == module:
            continue
        if other not in MODULES[module]:
            yield f'"{name}": {module} may not include {other}'
        elif name.removeprefix(other + '/').removesuffix('.h') not in PUBLIC[other]:
            yield f'"{name}": not a public header of {other}'


def part_crossings(part, text):
    module = part.split('/')[0]
    for quote, name in INCLUDE.findall(text):
        other = name.rpartition('/')[0]
        public = other == module and name.removeprefix(module + '/').removesuffix('.h') in PUBLIC[module]
        if quote == '"' and name.startswith(module + '/') and other not in [part, *PARTS[part]] and not public:
            yield f'"{name}": {part} may not include it'


def shares(src):
    """Lines of C in each part, and in each module without its parts."""
    lines = {}
    for path in src.rglob('*.[ch]'):
        folder = '/'.join(path.relative_to(src).parts[:2])
        name = folder if folder in PARTS else folder.split('/')[0]
        lines[name] = lines.get(name, 0) + path.read_text().count('\n')
    return lines


def main():
    src = pathlib.Path(sys.argv[1]) / 'src'
    cases = []
    wanted = set()
    for module in MODULES:
        found = []
        for path in sorted((src / module).rglob('*')):
            if path.suffix in ('.c', '.h', '.py'):
                text = path.read_text()
                wanted |= {name for quote, name in INCLUDE.findall(text) if quote == '"' and name.split('/')[0] != module}
                found += [f'{path.relative_to(src)}: {c}' for c in crossings(module, text)]
        cases.append((f'module {module}', found))
    unknown = [p.name for p in src.iterdir() if p.is_dir() and p.name not in MODULES]
    cases.append(('no unknown module', unknown))
    for part in PARTS:
        cases.append((f'part {part}', [f'{path.relative_to(src)}: {c}' for path in sorted((src / part).iterdir())
                                       if path.suffix in ('.c', '.h') for c in part_crossings(part, path.read_text())]))
    modules = {part.split('/')[0] for part in PARTS}
    cases.append(('every folder of a module with parts is one', [
        f'{p.relative_to(src)}' for module in modules for p in (src / module).iterdir()
        if p.is_dir() and f'{module}/{p.name}' not in PARTS]))
    lines = shares(src)
    cases.append(('no module or part is a quarter of the code', [
        f'{name}: {count} of {sum(lines.values())} lines' for name, count in lines.items()
        if count > MAX_SHARE * sum(lines.values())]))
    cases.append(('public headers are wanted', [f'{module}/{name}.h: no other module includes it' for module in MODULES
                                                for name in PUBLIC[module] if f'{module}/{name}.h' not in wanted]))
    forbidden = [('hw', '"kmd/kmd.h"'), ('compiler', '<vulkan/vulkan.h>'), *(
        (user, f'"{module}/private.h"') for module in MODULES for user in MODULES if module in MODULES[user])]
    missed = [f'{module} may include {name}' for module, name in forbidden if not list(crossings(module, f'#include {name}\n'))]
    missed += [f'{part} may include {other}' for part in PARTS for other in PARTS if part in PARTS[other]
               if not list(part_crossings(part, f'#include "{other}/any.h"\n'))]
    cases.append(('a forbidden include is caught', missed))
    print(f'1..{len(cases)}')
    for i, (name, found) in enumerate(cases, 1):
        print(f'{"not ok" if found else "ok"} {i} - {name}')
        for f in found:
            print(f'# {f}')
    return any(found for _, found in cases)


sys.exit(main())
