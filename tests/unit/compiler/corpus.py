#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles a folder of shaders: GLSL, or SPIR-V assembly where the name contains .asm.

    corpus.py GLSLANG GRAMMAR_DIR FOLDER LIST

The modules go to LIST's folder. LIST names them, one "SOURCE<tab>MODULE" per line. A dependency file next to LIST makes
the list depend on every shader and on the folder, so new shaders are found without being named anywhere. A shader is
compiled again only if its module is older than its source.
"""
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor


HERE = os.path.dirname(os.path.abspath(__file__))


def compile_one(glslang, grammar, source, module):
    if os.path.exists(module) and os.path.getmtime(module) > os.path.getmtime(source):
        return None
    command = [glslang, '--quiet', '-V', source, '-o', module]
    if '.asm.' in os.path.basename(source):
        command = [sys.executable, os.path.join(HERE, 'spirv_asm.py'), grammar, source, module]
    run = subprocess.run(command, capture_output=True, text=True)
    return run.stdout + run.stderr if run.returncode else None


def main():
    glslang, grammar, folder, out = sys.argv[1:5]
    modules = os.path.join(os.path.dirname(os.path.abspath(out)), os.path.basename(folder))
    os.makedirs(modules, exist_ok=True)
    names = sorted(n for n in os.listdir(folder) if n.endswith(('.vert', '.frag', '.comp')))
    pairs = [(os.path.join(folder, n), os.path.join(modules, n + '.spv')) for n in names]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        errors = [e for e in pool.map(lambda p: compile_one(glslang, grammar, *p), pairs) if e]
    if errors:
        sys.exit(''.join(errors))
    with open(out, 'w') as f:
        f.writelines(f'{source}\t{module}\n' for source, module in pairs)
    with open(out + '.d', 'w') as f:
        f.write(f'{out}: {folder} ' + ' '.join(source for source, _ in pairs) + '\n')


main()
