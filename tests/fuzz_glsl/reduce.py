# SPDX-License-Identifier: MIT
#
# Makes a program smaller as long as the same thing goes wrong here and the reference takes it: statements are left out,
# what is in a block takes the place of the branch or loop around it, expressions give way to parts of them or to
# constants. What keeps programs well-defined is in the text of nodes and stays (tree.py).
import time

from judge import Unsuitable
from tree import FLOAT, MATRIX, SHAPE, Node, float_literal


def simplest(node, structs):
    """Constants of an expression's type that may stand in its place."""
    type = node.type
    if node.bound:
        for value in (0.0, 1.0, node.bound.lo):
            bound = float_literal(value, node.bound.g).bound
            if bound.within(node.bound):
                yield Node('e', f'{value}' if type == 'float' and value >= 0 else f'{type}({value})', (), type, bound, True)
    elif type in SHAPE or type in MATRIX:
        yield Node('e', {'int': '0', 'uint': '0u', 'bool': 'false'}.get(type, f'{type}(0)'), (), type, None, True)
        yield Node('e', {'int': '1', 'uint': '1u', 'bool': 'true'}.get(type, f'{type}(1)'), (), type, None, True)
    else:
        yield Node('e', zero(type, structs), (), type, None, True)


def zero(type, structs):
    if isinstance(type, tuple):
        return f'{type[0]}[{type[1]}]({", ".join([zero(type[0], structs)] * type[1])})'
    if type in structs:
        return f'{type}({", ".join(zero(t, structs) for _, t in structs[type])})'
    return f'{type}(0)'


def parts(node):
    """Expressions inside that could take its place, the outermost first."""
    for k in node.kids:
        if k.kind == 'e' and k.type == node.type and not k.is_literal and (
                not node.bound or k.bound and k.bound.within(node.bound)):
            yield k
        yield from parts(k)


class Reducer:
    def __init__(self, judge, program, difference, seconds=600, say=None):
        self.judge, self.program, self.difference = judge, program, difference
        self.until = time.monotonic() + seconds
        self.tries = 0
        self.say = say or (lambda text: None)

    def still(self):
        """Whether what is left goes wrong in the same way."""
        if time.monotonic() > self.until:
            return False
        self.tries += 1
        try:
            found = self.judge.repeat(self.program, self.difference)
        except Unsuitable:
            return False
        if found is None or not found.same_as(self.difference):
            return False
        self.difference.where = found.where
        return True

    def simplify_way(self):
        """Fewer passes of spirv-opt, the plain setting."""
        d = self.difference
        for debug in ('validate', ''):
            was, d.debug = d.debug, debug
            if was != debug and not self.still():
                d.debug = was
        was, d.passes = d.passes, None
        if not was or self.still():
            return
        d.passes = list(was)
        i = 0
        while i < len(d.passes):
            kept = d.passes
            d.passes = kept[:i] + kept[i + 1:]
            if not d.passes or not self.still():
                d.passes = kept
                i += 1

    def leave_out(self, kids):
        """Members of a list, many at a time, then fewer."""
        changed, size = False, max(len(kids) // 2, 1)
        while size:
            i = len(kids)
            while i > 0:
                first = max(i - size, 0)
                was = list(kids)
                kids[first:i] = [k for k in kids[first:i] if k.is_fixed]
                if len(kids) < len(was) and self.still():
                    changed = True
                else:
                    kids[:] = was
                i = first
            size //= 2
        return changed

    def blocks(self, nodes):
        for n in nodes:
            if n.kind in 'bc':
                yield n
            yield from self.blocks(n.kids)

    def flatten(self, kids):
        """What is inside of a statement in its place."""
        changed = False
        for i in range(len(kids) - 1, -1, -1):
            for inner in [k for k in kids[i].kids if k.kind in 'bc']:
                statement, body = kids[i], inner.kids
                if inner.kind == 'c':
                    body = [s for label in inner.kids for k in label.kids for s in k.kids]
                kids[i:i + 1] = body
                if self.still():
                    changed = True
                    break
                kids[i:i + len(body)] = [statement]
        return changed

    def expressions(self, node, structs):
        changed = False
        for i, kid in enumerate(node.kids):
            if kid.kind == 'e' and not kid.is_literal:
                for other in [*simplest(kid, structs), *parts(kid)]:
                    node.kids[i] = other
                    if self.still():
                        changed = True
                        break
                    node.kids[i] = kid
            changed |= self.expressions(node.kids[i], structs)
        return changed

    def run(self):
        if not self.still():
            return False
        self.simplify_way()
        stages = [nodes for _, nodes in self.program.stages]
        while True:
            size = sum(n.size() for nodes in stages for n in nodes)
            changed = False
            for (stage, nodes) in self.program.stages:
                changed |= self.leave_out(nodes)
                for block in list(self.blocks(nodes)):
                    changed |= self.leave_out(block.kids)
                for block in list(self.blocks(nodes)):
                    changed |= self.flatten(block.kids)
            self.say(f'{size} nodes, {self.tries} tries')
            for stage, nodes in self.program.stages:
                for n in nodes:
                    changed |= self.expressions(n, self.program.structs.get(stage, {}))
            self.say(f'{sum(n.size() for nodes in stages for n in nodes)} nodes, {self.tries} tries')
            if not changed or time.monotonic() > self.until:
                self.simplify_way()
                return True
