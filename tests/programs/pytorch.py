# SPDX-License-Identifier: MIT
"""pytorch.py OUT.txt: operations of PyTorch on its Vulkan backend, compared with the processor. OUT.txt gets a line for
each operation: its name, and whether the results agree. Numbers are relative to the larger of 1 and the expected one.

The operations run in this order in one process: matrices with a number of columns that is no multiple of four follow
others, because PyTorch fetches texels beyond the edge of its images, which then lie in memory that was used before."""
import sys
import torch
import torch.nn.functional as F
from torch.utils.mobile_optimizer import optimize_for_mobile

TOLERANCE = 1e-3
torch.manual_seed(1)


def numbers(*shape):
    return torch.rand(*shape) * 2 - 1


def positive(*shape):
    return torch.rand(*shape) + 0.1


OPERATIONS = {
    'add': (torch.add, numbers(2, 4, 9, 11), numbers(1, 4, 1, 1)),
    'mul': (torch.mul, numbers(5, 9, 11), numbers(5, 9, 11)),
    'div': (torch.div, numbers(5, 9, 11), positive(5, 9, 11)),
    'mm': (torch.mm, numbers(40, 33), numbers(33, 50)),
    'addmm': (torch.addmm, numbers(50), numbers(40, 33), numbers(33, 50)),
    'bmm': (torch.bmm, numbers(3, 20, 33), numbers(3, 33, 10)),
    'baddbmm': (torch.baddbmm, numbers(3, 20, 10), numbers(3, 20, 33), numbers(3, 33, 10)),
    'sigmoid': (torch.sigmoid, numbers(1, 3, 9, 9)),
    'tanh': (lambda a: torch.tanh(a * 4), numbers(1, 3, 9, 9)),
    'gelu': (lambda a: F.gelu(a, approximate='tanh'), numbers(1, 3, 9, 9)),
    'exp': (torch.exp, numbers(3, 9, 9)),
    'log': (torch.log, positive(3, 9, 9)),
    'sqrt': (torch.sqrt, positive(3, 9, 9)),
    'pow': (lambda a: torch.pow(a, 2.5), positive(3, 9, 9)),
    'softmax': (lambda a: torch.softmax(a, 1), numbers(2, 7, 9, 9)),
    'log softmax': (lambda a: torch.log_softmax(a, 1), numbers(2, 7, 9, 9)),
    'sum': (lambda a: torch.sum(a, [1]), numbers(5, 7, 9)),
    'mean': (lambda a: torch.mean(a, [-1, -2]), numbers(2, 5, 7, 9)),
    'cumsum': (lambda a: torch.cumsum(a, 1), numbers(1, 5, 7, 9)),
    'cat': (lambda a, b: torch.cat([a, b], 1), numbers(1, 3, 9, 9), numbers(1, 6, 9, 9)),
    'permute': (lambda a: a.permute(3, 0, 2, 1), numbers(2, 3, 4, 5)),
    'slice': (lambda a: a[:, 1:3, 2:8:2], numbers(1, 5, 9, 9)),
    'reshape': (lambda a: a.reshape(15, 18), numbers(3, 5, 2, 9)),
    'bilinear': (lambda a: F.interpolate(a, size=(11, 13), mode='bilinear', align_corners=True), numbers(1, 3, 5, 7)),
    'pad': (lambda a: F.pad(a, (1, 2, 3, 1), mode='reflect'), numbers(1, 3, 9, 9)),
    'average pool': (lambda a: F.avg_pool2d(a, 3, 2), numbers(1, 3, 15, 15)),
    'glu': (lambda a: F.glu(a, 1), numbers(1, 8, 9, 9)),
}


def difference(got, expected):
    """The largest difference; NaN if there is one."""
    if got.shape != expected.shape:
        return float('inf')
    return ((got - expected).abs() / expected.abs().clamp(min=1)).max().item()


def operation(function, *arguments):
    return difference(function(*(a.to('vulkan') for a in arguments)).cpu(), function(*arguments))


def network():
    """Convolutions of all kinds, prepared for Vulkan as PyTorch does it for telephones."""
    layers = torch.nn.Sequential(
        torch.nn.Conv2d(3, 16, 3, 2, 1), torch.nn.ReLU(), torch.nn.Conv2d(16, 16, 3, 1, 1, groups=16),
        torch.nn.Hardtanh(0, 6), torch.nn.Conv2d(16, 32, 1), torch.nn.ReLU(), torch.nn.Conv2d(32, 24, 5, 2, 2),
        torch.nn.Sigmoid(), torch.nn.ConvTranspose2d(24, 8, 3, 2, 1)).eval()
    image = numbers(1, 3, 33, 35)
    prepared = optimize_for_mobile(torch.jit.trace(layers, image), backend='vulkan')
    return difference(prepared(image.to('vulkan')).cpu(), layers(image))


def main():
    with torch.no_grad(), open(sys.argv[1], 'w') as out:
        for name in (*OPERATIONS, 'network'):
            error = network() if name == 'network' else operation(*OPERATIONS[name])
            print(f'{name}: off by {error}')
            out.write(f'{name} {"agrees" if error <= TOLERANCE else "differs"}\n')


if __name__ == '__main__':
    main()
