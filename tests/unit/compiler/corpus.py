#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles a folder of shaders: GLSL, or SPIR-V assembly where the name contains .asm.

    corpus.py COMPILE_SHADERS GRAMMAR_DIR FOLDER LIST

The modules go to LIST's folder. LIST names them, one "SOURCE<tab>MODULE" per line. A dependency file next to LIST makes
the list depend on every shader and on the folder, so new shaders are found without being named anywhere.
"""
import os
import subprocess
import sys

import spirv_asm


def compile_glsl(compile_shaders, pairs):
    jobs = [arg for source, module in pairs for arg in (source, '-o', module)]
    if subprocess.run([compile_shaders, *jobs]).returncode:
        sys.exit(1)


def main():
    compile_shaders, grammar, folder, out = sys.argv[1:5]
    modules = os.path.join(os.path.dirname(os.path.abspath(out)), os.path.basename(folder))
    os.makedirs(modules, exist_ok=True)
    names = sorted(n for n in os.listdir(folder) if n.endswith(('.vert', '.frag', '.comp')))
    pairs = [(os.path.join(folder, n), os.path.join(modules, n + '.spv')) for n in names]
    compile_glsl(compile_shaders, [p for p in pairs if '.asm.' not in p[0]])
    assembler = spirv_asm.Grammar(grammar)
    for source, module in pairs:
        if '.asm.' in source:
            try:
                spirv_asm.assemble_file(assembler, source, module)
            except spirv_asm.Failure as e:
                sys.exit(str(e))
    with open(out, 'w') as f:
        f.writelines(f'{source}\t{module}\n' for source, module in pairs)
    with open(out + '.d', 'w') as f:
        f.write(f'{out}: {folder} ' + ' '.join(source for source, _ in pairs) + '\n')


main()
