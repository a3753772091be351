#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the guest's work disk from a cross build.

    work.py BUILD REFERENCE OUT.ext4 [NAME]...

BUILD is an arm64 build of the project, REFERENCE a folder of lavapipe's pictures that was drawn before (the API tests'
VKT_KEPT_REFERENCE). The disk has `files`, which the guest shows at the path that the project has here, and `test.sh`, which
runs what is named (all if nothing is): `vulkaninfo`, `jobs` (those recorded from Mesa's driver, on the DRM node),
`screen` (screen.sh), `mesa_shares` (tests/board), and the API suite's programs on the DRM node, by their names without "_drm"."""
import argparse
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import tempfile

PROJECT = pathlib.Path(__file__).resolve().parents[2]
NODE = '/dev/dri/renderD128'
TIMEOUT_S = 1200
FOLDER = '/tmp/out'  # in the guest: what is written to the disk of results
# Not in the guest: the preloaded model of the kernel's driver, and what is for sanitizers.
LEFT_OUT = ('LD_PRELOAD', 'ASAN_OPTIONS', 'TSAN_OPTIONS', 'VKT_NOTED_PICTURES')


def api_programs(build):
    """Yields (name, command, environment, files it needs)."""
    tests = json.loads(subprocess.check_output(['meson', 'introspect', '--tests', build]))
    for test in tests:
        if any(suite.endswith(':api-drm') for suite in test['suite']):
            environment = {name: value for name, value in test['env'].items() if name not in LEFT_OUT}
            environment |= {'VC4VK_DEVICE': 'drm', 'VKT_NO_VALIDATION': '1', 'VKT_OUT': FOLDER,
                            'VKT_KEPT_REFERENCE': f'{build}/tests-out/reference',
                            'VC4VK_HANG_MS': '600000'}  # the CPU engine interprets, on an emulated processor
            yield test['name'].removesuffix('_drm'), test['cmd'], environment


def script(parts):
    yield '#!/bin/busybox sh'
    yield '# Between lines "@@ begin NAME" and "@@ end NAME STATUS" is what a program prints.'
    yield f'mkdir -p {FOLDER}/jobs {FOLDER}/home'
    yield f'export HOME={FOLDER}/home LANG=C.UTF-8'
    for name, command, environment in parts:
        words = [*command] if name == 'screen' else ['timeout', str(TIMEOUT_S), *command]
        words = ['env', *(f'{key}={value}' for key, value in environment.items()), *words]
        line = f'{shlex.join(words)} 2>&1'
        # The screen's script says itself what begins and ends.
        yield line if name == 'screen' else f'echo "@@ begin {name}"; {line}; echo "@@ end {name} $?"'
    yield 'for dir in /sys/block/vd*; do'
    yield f'    [ "$(cat $dir/serial)" != results ] || tar -C {FOLDER} -cf /dev/${{dir##*/}} .'
    yield 'done'


def parts(build, names):
    icd = {'VK_ICD_FILENAMES': f'{build}/vk_icd.json', 'VC4VK_DEVICE': 'drm', 'LD_LIBRARY_PATH': f'{build}/src'}
    found = [('vulkaninfo', ['vulkaninfo', '--summary'], icd)]
    for trace in sorted((PROJECT / 'tests/jobs').glob('*.vc4trace')):
        replay = [f'{build}/tools/vc4-replay', '--node', NODE, str(trace), f'{FOLDER}/jobs/{trace.stem}.png']
        found.append((f'jobs/{trace.stem}', replay, {}))
    script = str(PROJECT / 'board/guest/screen.sh')
    found.append(('screen', ['sh', script, f'{build}/tests/board/scan_out', f'{FOLDER}/screen'],
                  icd | {'CMOCKA_MESSAGE_OUTPUT': 'TAP'}))
    found.append(('mesa_shares', [f'{build}/tests/board/mesa_shares'], icd | {'CMOCKA_MESSAGE_OUTPUT': 'TAP'}))
    found += api_programs(build)
    return [part for part in found if not names or part[0].split('/')[0] in names]


def copy(path, folder):
    """Copies a file or folder of the project to where the guest shows it."""
    to = folder / 'files' / pathlib.Path(path).relative_to(PROJECT)
    to.parent.mkdir(parents=True, exist_ok=True)
    if pathlib.Path(path).is_dir():
        shutil.copytree(path, to, dirs_exist_ok=True)
    else:
        shutil.copy(path, to)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument('build', type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument('reference')
    parser.add_argument('out')
    parser.add_argument('names', nargs='*')
    options = parser.parse_args()
    wanted = parts(options.build, options.names)
    missing = set(options.names) - {part[0].split('/')[0] for part in wanted}
    if missing:
        parser.exit(1, f'work.py: nothing is named {", ".join(sorted(missing))}\n')
    with tempfile.TemporaryDirectory(dir=os.path.dirname(os.path.abspath(options.out))) as temporary:
        folder = pathlib.Path(temporary)
        for _, command, _ in wanted:
            for word in command:
                if word.startswith(f'{PROJECT}/') and os.path.isfile(word):
                    copy(word, folder)
        for path in ('vk_icd.json', 'src/libvulkan_vc4vk.so'):
            copy(f'{options.build}/{path}', folder)
        if os.path.isdir(options.reference):
            shutil.copytree(options.reference, folder / 'files' / os.path.relpath(options.build, PROJECT) / 'tests-out/reference')
        (folder / 'test.sh').write_text('\n'.join(script(wanted)) + '\n')
        size_B = sum(file.stat().st_size + 4096 for file in folder.rglob('*'))
        pathlib.Path(options.out).unlink(missing_ok=True)
        subprocess.run(['mke2fs', '-q', '-t', 'ext4', '-O', '^has_journal', '-d', folder, options.out,
                        f'{size_B // 1024 * 5 // 4 // 1024 + 16}M'], check=True)


if __name__ == '__main__':
    main()
