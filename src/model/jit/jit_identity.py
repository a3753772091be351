# SPDX-License-Identifier: MIT
#
# jit_identity.py OUT.h DEPFILE SRC: writes a digest of all sources that the driver and libvc4vk_jit.so share: struct
# layouts and the meaning of functions. Both are built with it, so that the driver rejects a library from another tree.
import hashlib
import pathlib
import sys

MODULES = ('model/gpu', 'model/jit', 'hw', 'util')

out, depfile, src = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
files = sorted(f for m in MODULES for f in (src / m).iterdir() if f.suffix in ('.c', '.h', '.xml', '.py'))
digest = hashlib.sha256()
for f in files:
    content = f.read_bytes()
    digest.update(f'{f.relative_to(src)} {len(content)}\n'.encode() + content)
with open(out, 'w') as f:
    f.write(f'/* Made by jit_identity.py. */\n#define JIT_IDENTITY "{digest.hexdigest()}"\n')
with open(depfile, 'w') as f:
    f.write(f'{out}: {" ".join(str(f).replace(" ", chr(92) + " ") for f in files)}\n')
