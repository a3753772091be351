# SPDX-License-Identifier: MIT
#
# Runs one program on the driver and on the reference and decides whether they agree.
import os
import random
import re
import struct
import tempfile

import assembly
from servers import Compiler, Evaluator, Failed, Runner, optimise, random_passes

# Settings of the device under test, and their weights: VC4VK_DEBUG, and after a blank the option of glsl_run.
SETTINGS = (('validate', 10), ('validate,no-jit', 3), ('validate,few-registers', 3),
            ('validate,force-cpu-engine', 2), ('validate,tiny', 1), ('validate,jit-now', 1), ('validate in-memory', 2),
            ('validate,no-jit in-memory', 1), ('validate mutable', 2), ('validate robust', 2), ('validate,no-jit robust', 1))

EVALUATOR = 'evaluator'  # in place of a setting: the compiler's IR is executed


class Difference:
    """kind: 'wrong', or the device's error; where: the first words that differ."""

    def __init__(self, kind, debug, passes, where=''):
        self.kind, self.debug, self.passes, self.where = kind, debug, passes, where

    def same_as(self, other):
        return self.kind == other.kind

    def __str__(self):
        how = 'the IR evaluator' if self.debug == EVALUATOR else f'VC4VK_DEBUG={self.debug}'
        how += f', spirv-opt {" ".join(self.passes)}' if self.passes else ''
        return f'{self.kind} ({how}){": " if self.where else ""}{self.where}'


class Unsuitable(Exception):
    """The program cannot be judged: glslang or the reference does not accept it."""


def as_float(word):
    return struct.unpack('<f', struct.pack('<I', word))[0]


def agree(kind, got, expected):
    if got == expected or kind == '-':
        return True
    if kind == 'f':  # the sign of zero is ignored
        return (got | expected) & 0x7fffffff == 0
    if isinstance(kind, float):
        return abs(as_float(got) - as_float(expected)) <= kind  # false for NaN
    if isinstance(kind, tuple):  # each byte may differ by this much
        return all(abs((got >> s & 255) - (expected >> s & 255)) <= kind[0] for s in (0, 8, 16, 24))
    return False


def compare(program, got, expected):
    """The first words that differ, as text; empty if there are none."""
    found = []
    for number, (kinds, a, b) in enumerate(zip(program.output_kinds(), got, expected)):
        if a == b:
            continue
        count = len(kinds)
        a, b = (struct.unpack(f'<{len(x) // 4}I', x[:len(x) // 4 * 4]) for x in (a, b))
        for i, (x, y) in enumerate(zip(a, b)):
            if x != y and not agree(kinds[i % count], x, y):
                kind = kinds[i % count]
                text = f'{as_float(x)!r} is not {as_float(y)!r} +-{kind}' if isinstance(kind, float) else f'{x:#x} is not {y:#x}'
                found.append(f'output {number}, {i // count}, word {i % count}: {text}')
                if len(found) == 3:
                    return '; '.join(found)
    return '; '.join(found)


class Judge:
    def __init__(self, tools, tested, reference, extra_patience=1, hang_ms=30000):
        self.compiler = Compiler(tools)
        self.reference = Runner(tools, reference, ' robust', patience_s=120 * extra_patience)
        # The same reference with another vector width, and with LLVM's optimisation: if the two differ, the reference
        # is wrong.
        self.other_reference = Runner(tools, reference, ' robust', patience_s=120 * extra_patience,
                                      more={'GALLIVM_PERF': '', 'LP_NATIVE_VECTOR_WIDTH': '256'})
        self.tools, self.tested_icd = tools, tested
        self.patience = 120 * extra_patience
        self.runners = {}
        self.hang_ms = hang_ms
        self.folder = tempfile.mkdtemp(dir='/dev/shm' if os.path.isdir('/dev/shm') else None)
        self.notes = {}  # other events, with counts

    def note(self, what):
        self.notes[what] = self.notes.get(what, 0) + 1

    def stop(self):
        for s in (self.compiler, self.reference, self.other_reference, *self.runners.values()):
            s.stop()
        for name in os.listdir(self.folder):
            os.unlink(os.path.join(self.folder, name))
        os.rmdir(self.folder)

    def runner(self, debug):
        if debug == EVALUATOR and debug not in self.runners:
            self.runners[debug] = Evaluator(self.tools, self.patience)
        if debug not in self.runners:
            self.runners[debug] = Runner(self.tools, self.tested_icd, debug, self.patience, self.hang_ms)
        return self.runners[debug]

    def modules(self, program, passes=None, only_while=False, plain=False):
        """The SPIR-V of each stage. plain: as the reference gets them."""
        try:
            modules = [self.compiler.compile({1: 0, 16: 1, 32: 2}[stage], source, program.target)
                       for stage, source in program.sources(only_while, plain)]
        except Failed as e:
            raise Unsuitable(f'glslang: {e}')
        if not plain and program.rewrites:
            modules = self.rewritten(modules, lambda m: assembly.rewrite(self.compiler, m, program.rewrites))
        if passes:
            try:
                modules = [optimise(m, passes, self.folder) for m in modules]
            except Failed as e:
                raise Unsuitable(f'spirv-opt: {e}')
        return modules

    def rewritten(self, modules, rewrite):
        """What `rewrite` makes of modules that glslang has made. It goes by their text, which invalid ones may not have."""
        try:
            return [rewrite(m) for m in modules]
        except Failed:
            if any(assembly.validate(m) for m in modules):
                raise Unsuitable('glslang made an invalid module')
            raise

    def message_of(self, program, modules):
        """The request for the reference, with modules as it can take them."""
        modules = self.rewritten(modules, lambda m: assembly.without_constant_selects(self.compiler, m)
                                 if assembly.has_constant_selects(m) else m)
        return program.message(modules, plain=True)

    def plain_message(self, program, passes=None, only_while=False):
        return self.message_of(program, self.modules(program, passes, only_while, plain=True))

    def expected(self, message):
        try:
            return self.reference.result()
        except Failed as e:
            raise Unsuitable(f'reference: {e}')

    def against(self, program, message, debug, passes, expected):
        try:
            got = self.runner(debug).result()
        except Failed as e:
            if str(e).startswith('unsupported'):
                return None
            return Difference(kind_of(str(e)), debug, passes, str(e))
        where = compare(program, got, expected)
        return Difference('wrong', debug, passes, where) if where else None

    def judge(self, program):
        """The first difference, or None. Runs the program unchanged with one setting, and after random spirv-opt passes
        with another."""
        rng = random.Random(program.seed ^ 0x5eed)
        settings = [s for s in SETTINGS if not program.needs_robust or s[0].endswith('robust')]
        first, second = rng.choices([s for s, _ in settings], [w for _, w in settings], k=2)
        passes = random_passes(rng)
        modules = self.modules(program)
        message = program.message(modules)
        plain = self.plain_message(program) if program.has_twin else self.message_of(program, modules)
        self.reference.send(plain)
        self.runner(first).send(message)
        try:
            expected = self.expected(plain)
        except Unsuitable:
            try:
                self.runner(first).result()
            except Failed:
                pass
            if self.is_glslang_wrong(program):
                return None
            raise
        difference = self.against(program, message, first, None, expected)
        if not difference and program.draw is None:
            self.runner(EVALUATOR).send(message)
            difference = self.against(program, message, EVALUATOR, None, expected)
        if difference and self.is_glslang_wrong(program):
            return None
        if difference:
            self.reference_is_sure(program, plain, expected)
            return difference
        try:
            modules = [optimise(m, passes, self.folder) for m in modules]
        except Failed:
            self.note('spirv-opt failed')
            return None
        message = program.message(modules)
        self.runner(second).send(message)
        difference = self.against(program, message, second, passes, expected)
        if difference and self.is_glslang_wrong(program):
            return None
        if difference and any(assembly.validate(m) for m in modules):
            self.note('spirv-opt made an invalid module')
            return None
        if difference and self.changed_by_passes(program, passes, expected):
            self.note('spirv-opt made another program')
            return None
        if difference:
            self.reference_is_sure(program, plain, expected)
        return difference

    def is_glslang_wrong(self, program):
        """glslang 12 makes invalid modules for SPIR-V 1.4 of some copies of structs that contain arrays."""
        found = [text for plain in (False, True)
                 for text in (assembly.validate(m) for m in self.modules(program, plain=plain)) if text]
        if found:
            self.note('glslang made an invalid module')
        return bool(found)

    def changed_by_passes(self, program, passes, expected):
        """Whether the reference's result changes after the passes, which would be a bug in spirv-opt."""
        message = self.plain_message(program, passes)
        self.reference.send(message)
        return compare(program, self.expected(message), expected) != ''

    def reference_is_sure(self, program, message, expected):
        self.other_reference.send(message)
        try:
            where = compare(program, self.other_reference.result(), expected)
        except Failed as e:
            raise Unsuitable(f'reference with wide vectors: {e}')
        if where:
            raise Unsuitable(f'reference: depends on the width of its vectors: {where}')
        # lavapipe changes values that an invocation has loaded in a do-while loop, after it has left the loop and while
        # others still run it.
        if program.sources(only_while=True) != program.sources():
            self.reference.send(self.plain_message(program, only_while=True))
            where = compare(program, self.expected(message), expected)
            if where:
                raise Unsuitable(f'reference: depends on how loops are written: {where}')

    def reference_agrees(self, program, message, like):
        """Raises Unsuitable if the passes change the reference's result or the reference is not consistent."""
        self.reference.send(message)
        expected = self.expected(message)
        if like.passes and self.changed_by_passes(program, like.passes, expected):
            raise Unsuitable('spirv-opt made another program')
        self.reference_is_sure(program, message, expected)

    def repeat(self, program, like):
        """Runs the program with the setting and passes of a difference that was found earlier."""
        message, plain = program.message(self.modules(program, like.passes)), self.plain_message(program)
        self.runner(like.debug).send(message)
        try:
            got = self.runner(like.debug).result()
        except Failed as e:
            difference = Difference(kind_of(str(e)), like.debug, like.passes, str(e))
        else:
            self.reference.send(plain)
            where = compare(program, got, self.expected(plain))
            difference = Difference('wrong', like.debug, like.passes, where) if where else None
        if difference and difference.same_as(like):
            self.reference_agrees(program, plain, like)
        return difference


def kind_of(text):
    """A device's error without the numbers that vary."""
    head = text.split('\n')[0][:160]
    return re.sub(r'0x[0-9a-f]+|[0-9]+', '#', head)
