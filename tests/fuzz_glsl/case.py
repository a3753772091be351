# SPDX-License-Identifier: MIT
#
# Saves a program that differs as files and loads it again: the GLSL of each stage, which can be read and edited, and
# case.json with everything else.
import json
import os

from generate import EXTENSION, Program, Resource
from judge import Difference
from tree import Node, indent


def save(program, difference, folder):
    os.makedirs(folder, exist_ok=True)
    for stage, source in program.sources():
        with open(os.path.join(folder, 'program.' + EXTENSION[stage]), 'w') as f:
            f.write(indent(source))
    what = {
        'seed': program.seed, 'stages': [stage for stage, _ in program.stages], 'specs': program.specs,
        'push': program.push.hex(), 'groups': program.groups, 'draw': program.draw.hex() if program.draw else None,
        'targets': program.targets, 'target': program.target, 'has_twin': program.has_twin,
        'needs_robust': program.needs_robust, 'rewrites': program.rewrites,
        'resources': [{'binding': r.binding, 'type': r.type, 'data': r.data.hex(), 'kinds': r.kinds, 'image': r.image,
                       'element': r.element, 'is_null': r.is_null, 'has_address': r.has_address, 'addresses': r.addresses,
                       'plain_format': r.plain_format}
                      for r in program.resources],
        'kind': difference.kind, 'debug': difference.debug, 'passes': difference.passes, 'where': difference.where,
    }
    with open(os.path.join(folder, 'case.json'), 'w') as f:
        json.dump(what, f, indent=1)


def load(folder):
    with open(os.path.join(folder, 'case.json')) as f:
        what = json.load(f)
    program = Program(what['seed'])
    for stage in what['stages']:
        with open(os.path.join(folder, 'program.' + EXTENSION[stage])) as f:
            program.stages.append((stage, [Node('d', f.read().replace('%', '%%'))]))
    program.specs, program.groups = [tuple(s) for s in what['specs']], what['groups']
    program.push, program.draw = bytes.fromhex(what['push']), bytes.fromhex(what['draw']) if what['draw'] else None
    program.targets, program.target = what['targets'], what['target']
    program.has_twin, program.needs_robust, program.rewrites = what['has_twin'], what['needs_robust'], what['rewrites']
    program.resources = [Resource(r['binding'], r['type'], bytes.fromhex(r['data']), r['kinds'], r['image'], r['element'],
                                  r['is_null'], r['has_address'], r['addresses'], r['plain_format'])
                         for r in what['resources']]
    return program, Difference(what['kind'], what['debug'], what['passes'], what['where'])
