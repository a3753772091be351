#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# Usage: privileged.py PROGRAM DRIVER LIBRARY
#
# Runs a Vulkan program with every environment variable that makes the driver write a file or load code. Run normally,
# all of them must take effect. Run set-user-ID (or set-group-ID, if the tests do not run as root), none of them may.
# Prints TAP.
import os, pathlib, shutil, stat, subprocess, sys, tempfile

NOBODY = 65534
program, driver, library = map(pathlib.Path, sys.argv[1:4])


def borrow_rights(path):
    """Sets the set-user-ID or set-group-ID bit, so that the program runs with other rights than its caller. Returns
    which of them, or None."""
    if os.geteuid() == 0:
        os.chown(path, NOBODY, NOBODY)
        path.chmod(0o4755)
        return 'set-user-ID'
    for group in os.getgroups():
        if group != os.getegid():
            os.chown(path, -1, group)
            path.chmod(0o2755)
            return 'set-group-ID'
    return None


def run_with(base, copy, out, variables):
    env = {key: value for key, value in os.environ.items() if not key.startswith(('VC4VK_', 'VKT_', 'LD_'))}
    return subprocess.run([str(copy), str(base / 'driver.so')], env={**env, 'VC4VK_DEVICE': 'model', **variables},
                          cwd=out, capture_output=True, text=True)


def run(base, copy, name):
    """Runs `copy` in a world-writable folder of its own. Returns the results and the files in the folder afterwards.
    Runs it twice, because with VC4VK_INSPECT all programs are interpreted and the JIT library is not loaded."""
    out = base / name
    for folder in [out, out / 'shown', out / 'inspect', out / 'cache', out / 'home']:
        folder.mkdir()
        folder.chmod(0o777)
    results = [
        run_with(base, copy, out, {'VC4VK_INSPECT': str(out / 'inspect'), 'HOME': str(out / 'home')}),
        run_with(base, copy, out, {
            'VC4VK_TRACE': str(out / 'trace'),
            'VC4VK_SHOWN': str(out / 'shown'),
            'XDG_CACHE_HOME': str(out / 'cache'),
            'VKT_JIT': str(base / 'library.so'),
            'VKT_TELL': str(out / 'loaded'),
        })]
    files = {str(path.relative_to(out)) for path in out.rglob('*') if not path.is_dir()}
    return results, files


def complaints(results, kind):
    for result in results:
        if result.returncode or f'{kind}\ndone\n' not in result.stdout:
            yield from [f'exit {result.returncode}', *result.stdout.splitlines(), *result.stderr.splitlines()]


def main():
    cases = []
    with tempfile.TemporaryDirectory(prefix='vc4vk-privileged-') as name:
        base = pathlib.Path(name)
        base.chmod(0o755)
        for source, target in (program, 'own'), (program, 'foreign'), (driver, 'driver.so'), (library, 'library.so'):
            shutil.copy(source, base / target)
            (base / target).chmod(0o755)

        results, files = run(base, base / 'own', 'plain')
        found = list(complaints(results, 'own'))
        for what in 'trace', 'shown/', 'inspect/', 'cache/', 'home/', 'loaded':
            if not any(file.startswith(what) for file in files):
                found.append(f'{what}: not written, so its variable had no effect')
        cases.append(('variables act in an ordinary program', found, None))

        how, skip = borrow_rights(base / 'foreign'), None
        title = f'no variable acts in a {how or "set-group-ID"} program'
        found = []
        if how:
            results, files = run(base, base / 'foreign', 'privileged')
            if all(result.stdout.startswith('own\n') for result in results):
                skip = f'{base} ignores set-user-ID bits (mounted nosuid, or no_new_privs)'
            else:
                found = [*complaints(results, 'foreign'), *(f'{file}: written or loaded' for file in sorted(files))]
        else:
            skip = 'neither root nor a member of a second group'
        cases.append((title, found, skip))
    print(f'1..{len(cases)}')
    for i, (title, found, skip) in enumerate(cases, 1):
        print(f'{"not ok" if found else "ok"} {i} - {title}{f" # SKIP {skip}" if skip else ""}')
        for line in found:
            print(f'# {line}')
    return any(found for _, found, _ in cases)


sys.exit(main())
