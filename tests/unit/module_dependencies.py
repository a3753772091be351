#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# Dependencies between the modules of src/ run one way only, and to public headers only: reads every #include "module/..."
# and fails on one that the two tables do not allow. A header that is listed as public and that no other module includes
# fails as well: it is private again. Prints TAP, one case per module, and checks itself against includes made up on
# purpose.
#
# A module is a folder of src/, or a folder inside a module ("compiler/ir"). Inner modules may include the public headers of
# the outer one, which declare what they exchange with the rest of the driver.
import pathlib, re, sys

MODULES = {
    'util': [],
    'hw': ['util'],
    'compiler/ir': ['hw', 'util'],
    'compiler/lower': ['compiler/ir', 'hw', 'util'],
    'compiler/spirv': ['compiler/lower', 'compiler/ir', 'hw', 'util'],
    'compiler/qpu': ['compiler/ir', 'hw', 'util'],
    'compiler': ['compiler/qpu', 'compiler/spirv', 'compiler/lower', 'compiler/ir', 'hw', 'util'],
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
    'board': ['model', 'hw', 'util'],
}
# The headers of each module that others may include; all others are private.
PUBLIC = {
    'util': ['alloc', 'arena', 'bitset', 'build_id', 'debug', 'digest', 'disk_cache', 'environment', 'fault', 'hash', 'json', 'list',
             'log', 'macros', 'memfd', 'png', 'pool', 'stream', 'thread', 'trace',
             'utf8'],
    'hw': ['cl', 'cl_gen', 'codec', 'descriptor', 'expr', 'format', 'layout', 'qpu', 'tex'],
    'compiler/ir': ['ir', 'ir_pass'],
    'compiler/lower': ['lower', 'lower_f64', 'lower_i64', 'lower_rounds'],
    'compiler/spirv': ['spv'],
    'compiler/qpu': ['qc'],
    'compiler': ['vc4c'],
    'model': ['gpu/gpu', 'model', 'model_dma_buf', 'model_sparse', 'model_stats'],
    'kmd': ['kmd'],
    'inspect': ['inspect'],
    'engine': ['vc4vk_command', 'vc4vk_engine', 'vc4vk_job', 'vc4vk_parallel', 'vc4vk_timeline'],
    'queue': ['vc4vk_alloc', 'vc4vk_external', 'vc4vk_handle', 'vc4vk_label', 'vc4vk_performance', 'vc4vk_query',
              'vc4vk_queue', 'vc4vk_sync'],
    'device': ['vc4vk_condition', 'vc4vk_device', 'vc4vk_entrypoints_gen', 'vc4vk_error', 'vc4vk_format',
               'vc4vk_ignored_bits', 'vc4vk_memory', 'vc4vk_multialloc', 'vc4vk_object', 'vc4vk_physical_device',
               'vc4vk_render_pass', 'vc4vk_test_hooks'],
    'descriptor': ['vc4vk_binding_table', 'vc4vk_buffer_set', 'vc4vk_descriptor_set', 'vc4vk_descriptor_type',
                   'vc4vk_engine_descriptor', 'vc4vk_update_template', 'vc4vk_upload_ring', 'vc4vk_view'],
    'pipeline': ['vc4vk_pipeline', 'vc4vk_pipeline_stage', 'vc4vk_pipeline_state', 'vc4vk_shader_object'],
    'transfer': ['vc4vk_job_surface', 'vc4vk_staging', 'vc4vk_tile_transfer', 'vc4vk_transfer'],
    'issue': ['vc4vk_dispatch', 'vc4vk_draw_job', 'vc4vk_issue', 'vc4vk_job_limits'],
    'cmdbuf': [],
    'wsi': [],
    'shim': [],
    'board': [],
}
# No module holds more than a quarter of the code.
MAX_SHARE = 0.25
# Modules that know no Vulkan at all.
PURE = {'util', 'hw', 'compiler', 'model', 'inspect'}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]', re.M)


def outer(module):
    return module.rpartition('/')[0]


def module_of(path):
    """The module of a path below src/ of a header or a source, or None."""
    folder = path.rpartition('/')[0]
    while folder and folder not in MODULES:
        folder = outer(folder)
    return folder or None


def crossings(module, text):
    for quote, name in INCLUDE.findall(text):
        if quote == '<':
            if module.split('/')[0] in PURE and name.startswith('vulkan/'):
                yield f'<{name}>: {module} knows no Vulkan'
            continue
        other = module_of(name)
        if other is None or other == module:
            continue
        if other not in MODULES[module] and other != outer(module):
            yield f'"{name}": {module} may not include {other}'
        elif name.removeprefix(other + '/').removesuffix('.h') not in PUBLIC[other]:
            yield f'"{name}": not a public header of {other}'


def sources(src, module):
    return [path for path in sorted((src / module).rglob('*')) if path.suffix in ('.c', '.h', '.py')
            and module_of(str(path.relative_to(src))) == module]


def unknown_folders(src):
    """Folders of src/ that are no module, and folders beside an inner module that are none."""
    folders = {*src.iterdir(), *(path for name in MODULES if '/' in name for path in (src / outer(name)).iterdir())}
    return sorted(str(path.relative_to(src)) for path in folders if path.is_dir() and str(path.relative_to(src)) not in MODULES)


def too_large(src):
    lines = {module: sum(path.read_text().count('\n') for path in sources(src, module) if path.suffix != '.py')
             for module in MODULES}
    return [f'{name}: {count} of {sum(lines.values())} lines' for name, count in lines.items()
            if count > MAX_SHARE * sum(lines.values())]


def main():
    src = pathlib.Path(sys.argv[1]) / 'src'
    cases = []
    wanted = set()
    for module in MODULES:
        found = []
        for path in sources(src, module):
            text = path.read_text()
            wanted |= {name for quote, name in INCLUDE.findall(text) if quote == '"' and module_of(name) != module}
            found += [f'{path.relative_to(src)}: {c}' for c in crossings(module, text)]
        cases.append((f'module {module}', found))
    cases.append(('no unknown module', unknown_folders(src)))
    cases.append(('no module is a quarter of the code', too_large(src)))
    cases.append(('public headers are wanted', [f'{module}/{name}.h: no other module includes it' for module in MODULES
                                                for name in PUBLIC[module] if f'{module}/{name}.h' not in wanted]))
    forbidden = [('hw', '"kmd/kmd.h"'), ('compiler', '<vulkan/vulkan.h>'), ('compiler/ir', '<vulkan/vulkan.h>'),
                 ('pipeline', '"compiler/ir/ir.h"'), ('compiler/spirv', '"compiler/vc4c_front.h"'), *(
        (user, f'"{module}/private.h"') for module in MODULES for user in MODULES if module in MODULES[user])]
    missed = [f'{module} may include {name}' for module, name in forbidden if not list(crossings(module, f'#include {name}\n'))]
    cases.append(('a forbidden include is caught', missed))
    print(f'1..{len(cases)}')
    for i, (name, found) in enumerate(cases, 1):
        print(f'{"not ok" if found else "ok"} {i} - {name}')
        for f in found:
            print(f'# {f}')
    return any(found for _, found in cases)


sys.exit(main())
