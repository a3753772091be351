#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs tests of py-videocore, unmodified, with the model in place of a Raspberry Pi.

    py_videocore.py LIBBCM_HOST PY_VIDEOCORE [pytest arguments]

LIBBCM_HOST is the library made from mailbox.c, PY_VIDEOCORE the folder of py-videocore's sources. Needs NumPy and
pytest. Replaces the two modules that reach the firmware: rpi_vcsm (shared memory) and videocore.mailbox.
"""
import ctypes
import os
import sys
import types


class Vcsm:
    """Memory from the model: handle, bus address, and the same bytes for the host."""

    def __init__(self, library):
        self.library = library

    def malloc_cache(self, size_B, mode, name):
        handle = self.library.mem_alloc(3, size_B, 4096, 0)
        if not handle:
            return 0, 0, 0, None
        address = self.library.mem_lock(3, handle)
        host = self.library.mapmem(address, size_B)
        return handle, address, host, memoryview((ctypes.c_ubyte * size_B).from_address(host)).cast('B')

    def free(self, handle, buffer):
        self.library.mem_free(3, handle)


def mailbox_class(library):
    class MailBox:
        def enable_qpu(self, on):
            return 0

        def execute_qpu(self, count, address, noflush, timeout_ms):
            return library.execute_qpu(3, count, address, noflush, timeout_ms)

        def close(self):
            pass

    return MailBox


def install(library):
    vcsm = types.ModuleType('rpi_vcsm')
    vcsm.CACHE_NONE, vcsm.CACHE_HOST, vcsm.CACHE_VC, vcsm.CACHE_BOTH = range(4)
    vcsm.VCSM = types.ModuleType('rpi_vcsm.VCSM')
    vcsm.VCSM.VCSM = lambda: Vcsm(library)
    mailbox = types.ModuleType('videocore.mailbox')
    mailbox.MailBox = mailbox_class(library)
    sys.modules.update({'rpi_vcsm': vcsm, 'rpi_vcsm.VCSM': vcsm.VCSM, 'videocore.mailbox': mailbox})


def main():
    library = ctypes.CDLL(os.path.abspath(sys.argv[1]))
    library.mapmem.restype = ctypes.c_void_p
    for name in ('mem_alloc', 'mem_lock', 'execute_qpu'):
        getattr(library, name).restype = ctypes.c_uint
    library.mbox_open()
    install(library)
    checkout = os.path.abspath(sys.argv[2])
    sys.path.insert(0, checkout)
    import pytest
    # test_v3d reads registers; the other two run no program
    ignored = ['--ignore=' + os.path.join(checkout, 'tests', 'test_%s.py' % name)
               for name in ('v3d', 'assemble_errors', 'memory')]
    return pytest.main(ignored + ['-p', 'no:cacheprovider']
                       + (sys.argv[3:] or [os.path.join(checkout, 'tests')]))


if __name__ == '__main__':
    sys.exit(main())
