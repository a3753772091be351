# SPDX-License-Identifier: MIT
#
# Makes a program smaller while the driver fails in the same way and the reference still accepts it. Statements are
# removed, the contents of a block replace the branch or loop around it, and expressions are replaced by their parts or
# by constants. The text that keeps a program well-defined is part of its node and therefore stays (tree.py).
import time

from judge import EVALUATOR, Unsuitable
from tree import FLOAT, MATRIX, SHAPE, Node, float_literal


def simplest(node, structs):
    """Constants that may replace an expression."""
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
    """Expressions inside the node that could replace it, outermost first."""
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

    def still_fails(self):
        """Whether the remaining program fails in the same way."""
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

    def simplify_settings(self):
        """Tries a plain VC4VK_DEBUG setting and fewer passes of spirv-opt."""
        d = self.difference
        if d.debug != EVALUATOR:
            self.simplify_debug()
        was, d.passes = d.passes, None
        if not was or self.still_fails():
            return
        d.passes = list(was)
        i = 0
        while i < len(d.passes):
            kept = d.passes
            d.passes = kept[:i] + kept[i + 1:]
            if not d.passes or not self.still_fails():
                d.passes = kept
                i += 1

    def simplify_debug(self):
        d = self.difference
        for debug in ('validate robust', ' robust') if self.program.needs_robust else ('validate', ''):
            was, d.debug = d.debug, debug
            if was != debug and not self.still_fails():
                d.debug = was

    def leave_out(self, kids):
        """Removes members of a list, first many at a time, then fewer."""
        changed, size = False, max(len(kids) // 2, 1)
        while size:
            i = len(kids)
            while i > 0:
                first = max(i - size, 0)
                was = list(kids)
                kids[first:i] = [k for k in kids[first:i] if k.is_fixed]
                if len(kids) < len(was) and self.still_fails():
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
        """Replaces statements by their contents."""
        changed = False
        for i in range(len(kids) - 1, -1, -1):
            for inner in [k for k in kids[i].kids if k.kind in 'bc']:
                statement, body = kids[i], inner.kids
                if inner.kind == 'c':
                    body = [s for label in inner.kids for k in label.kids for s in k.kids]
                kids[i:i + 1] = body
                if self.still_fails():
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
                    if self.still_fails():
                        changed = True
                        break
                    node.kids[i] = kid
            changed |= self.expressions(node.kids[i], structs)
        return changed

    def run(self):
        if not self.still_fails():
            return False
        self.simplify_settings()
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
                self.simplify_settings()
                return True
