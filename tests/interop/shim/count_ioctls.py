#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# Runs programs under the shim, which counts ioctls by number, and checks that each ioctl of the vc4 driver was called,
# except GET_HANG_STATE, which only the superuser may call. Prints TAP, one case per ioctl.
import os, subprocess, sys, tempfile

NAMES = ['SUBMIT_CL', 'WAIT_SEQNO', 'WAIT_BO', 'CREATE_BO', 'MMAP_BO', 'CREATE_SHADER_BO', 'GET_HANG_STATE', 'GET_PARAM',
         'SET_TILING', 'GET_TILING', 'LABEL_BO', 'GEM_MADVISE', 'PERFMON_CREATE', 'PERFMON_DESTROY',
         'PERFMON_GET_VALUES']
COMMAND_BASE = 0x40

shim, programs = sys.argv[1], sys.argv[2:]
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, 'counts')
    env = dict(os.environ, LD_PRELOAD=shim, VC4VK_DEVICE='drm', VC4VK_SHIM_COUNT=path)
    failed = [p for p in programs if subprocess.run([p], env=env, stdout=subprocess.DEVNULL).returncode]
    counts = {}
    with open(path) as lines:
        for line in lines:
            number, count = line.split()
            counts[int(number, 16)] = counts.get(int(number, 16), 0) + int(count)
wanted = [(COMMAND_BASE + i, name) for i, name in enumerate(NAMES) if name != 'GET_HANG_STATE']
print(f'1..{len(wanted) + 1}')
for i, (number, name) in enumerate(wanted, 1):
    print(f'{"ok" if counts.get(number) else "not ok"} {i} - {name}: {counts.get(number, 0)}')
print(f'{"not ok" if failed else "ok"} {len(wanted) + 1} - the programs end well')
for program in failed:
    print(f'# {program}')
