# SPDX-License-Identifier: MIT
"""What both runners of this folder share: the environment for programs that use Mesa on the model, and the results that
are recorded for silicon.

The records are three files of Mesa's sources. broadcom-rpi3-fails.txt has lines "case,Result", where a comma in a name
has become "-". broadcom-rpi3-flakes.txt has a regular expression of whole names per line, broadcom-rpi3-skips.txt one
of the beginnings of names. A case that none of them names passes or is skipped on the chip.
"""
import os
import pathlib
import re
import signal
import subprocess


def environment(mesa, build):
    """Environment of a program that uses the Mesa in folder `mesa` on the shim built in folder `build`."""
    library = next((d for d in (mesa / 'lib', *mesa.glob('lib/*-linux-*'), mesa / 'lib64') if (d / 'dri').is_dir()), None)
    if not library:
        raise SystemExit(f'{mesa}: no lib*/dri in it: not the prefix of an installed Mesa')
    shim = build / 'src/shim/libvc4_drm_shim.so'
    if not shim.exists():
        raise SystemExit(f'{shim} is missing: build it first')
    env = dict(os.environ, LD_LIBRARY_PATH=str(library), LIBGL_DRIVERS_PATH=str(library / 'dri'),
               GBM_BACKENDS_PATH=str(library / 'gbm'), LD_PRELOAD=str(shim), MESA_SHADER_CACHE_DISABLE='1')
    vendor = mesa / 'share/glvnd/egl_vendor.d/50_mesa.json'
    if vendor.exists():
        env['__EGL_VENDOR_LIBRARY_FILENAMES'] = str(vendor)
    env.pop('DISPLAY', None)
    return env


class Records:
    """The three record files of a folder."""

    def __init__(self, folder):
        lines = {}
        for kind in ('fails', 'flakes', 'skips'):
            text = (pathlib.Path(folder) / f'broadcom-rpi3-{kind}.txt').read_text()
            lines[kind] = [line for line in text.splitlines() if line.strip() and not line.startswith('#')]
        self.fails = dict(line.rsplit(',', 1) for line in lines['fails'])
        self.flakes = [re.compile(line) for line in lines['flakes']]
        self.skips = [re.compile(line) for line in lines['skips']]

    def unsteady(self, case):
        """Whether the case is flaky on silicon or was not run there."""
        return any(r.fullmatch(case) for r in self.flakes) or any(r.match(case) for r in self.skips)

    def expected(self, case):
        return self.fails.get(case, 'Pass')

    def agrees(self, case, result):
        """Whether a result (Pass, Skip, Warn, Fail, Crash, Timeout) is silicon's."""
        return result == self.fails[case] if case in self.fails else result in ('Pass', 'Skip', 'Warn')


def run(command, env, timeout_s, cwd):
    """Runs a program in its own process group, so that none of its processes outlives the timeout. Returns its output
    and exit status; the status is None if it took too long."""
    process = subprocess.Popen(command, env=env, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, start_new_session=True)
    status = None
    try:
        out, _ = process.communicate(timeout=timeout_s)
        status = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, _ = process.communicate()
    return out.decode(errors='replace'), status
