#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# Rules that convert the result of an inexact function to an integer (rules.py) must give the same integer for any error
# that Vulkan allows. This test evaluates each of them for all values of its arguments, with every function's result
# slightly too large and slightly too small.
import itertools
import math
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import rules

FUNCTIONS = {'exp2': lambda x: 2.0 ** x, 'log2': math.log2, 'sqrt': math.sqrt, 'inversesqrt': lambda x: x ** -0.5,
             'pow': lambda x, y: x ** y, 'exp': math.exp, 'log': math.log, 'sin': math.sin, 'cos': math.cos,
             'atan': lambda y, x=1.0: math.atan2(y, x)}
RELATIVE = {'atan': 2 ** -10, 'sin': 2 ** -10, 'cos': 2 ** -10}  # larger relative errors; all others are 2^-17
MASK = re.compile(r'%s & (\d+)')


def perturbed(function, sign):
    relative = RELATIVE.get(function, 2 ** -17)
    return lambda *x: FUNCTIONS[function](*x) + sign * relative * max(abs(FUNCTIONS[function](*x)), 0.25)


class PerturbedFloat(float):
    """A float whose quotients have an error."""
    sign = 0

    def __truediv__(self, other):
        return PerturbedFloat(float(self) / float(other) * (1 + PerturbedFloat.sign * 2 ** -20))

    def __rtruediv__(self, other):
        return PerturbedFloat(float(other) / float(self) * (1 + PerturbedFloat.sign * 2 ** -20))

    def __add__(self, other):
        return PerturbedFloat(float(self) + float(other))

    def __mul__(self, other):
        return PerturbedFloat(float(self) * float(other))

    def __neg__(self):
        return PerturbedFloat(-float(self))


NAMES = {sign: {f: perturbed(f, sign) for f in FUNCTIONS} for sign in (-1, 0, 1)}


def evaluate(code, values, sign):
    PerturbedFloat.sign = sign
    return eval(code, {**NAMES[sign], **dict(zip('abc', values)), 'floor': math.floor, 'round': round, 'int': int,
                       'float': PerturbedFloat, 'uint': int})


def candidates():
    for rule in rules.SIGNED + rules.UNSIGNED:
        text = rule[1]
        masks = MASK.findall(text)
        if len(masks) != text.count('%s') or not (any(f + '(' in text for f in FUNCTIONS) or ' / ' in text and '{F}' in text):
            continue
        for key, value in (('{T}', 'int'), ('{I}', 'int'), ('{U}', 'uint'), ('{F}', 'float')):
            text = text.replace(key, value)
        yield text, [int(m) for m in masks]


def main():
    lines, bad = [], 0
    for text, masks in candidates():
        wrong = None
        code = compile(re.sub(r'(\d+)u', r'\1', text) % tuple('abc'[:len(masks)]), 'rule', 'eval')
        for values in itertools.product(*[range(m + 1) for m in masks]):
            if len({evaluate(code, values, sign) for sign in (-1, 0, 1)}) != 1:
                wrong = values
                break
        bad += wrong is not None
        lines.append(f'{"not ok" if wrong else "ok"} {len(lines) + 1} - {text.replace("%s", "x")}' + (f': {wrong}' if wrong else ''))
    print(f'1..{len(lines)}')
    print('\n'.join(lines))
    return bad or len(lines) < 20


if __name__ == '__main__':
    sys.exit(1 if main() else 0)
