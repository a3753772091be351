#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# exports.py NM LIBRARY: checks that the driver exports the symbols the loader looks for, and nothing else. Prints TAP.
import re, subprocess, sys

WANTED = {'vk_icdGetInstanceProcAddr', 'vk_icdGetPhysicalDeviceProcAddr', 'vk_icdNegotiateLoaderICDInterfaceVersion'}


def main():
    lines = subprocess.run([sys.argv[1], '-D', '--defined-only', sys.argv[2]], capture_output=True, text=True,
                           check=True).stdout
    found = set(re.findall(r'^[0-9a-f]+ \w (\w+)', lines, re.M))
    # Sanitizer builds also export the sanitizers' symbols.
    extra = {n for n in found - WANTED if not re.match(r'__(asan|ubsan|odr_asan|sanitizer|start|stop)', n)}
    print('1..2')
    print(f'{"not ok" if WANTED - found else "ok"} 1 - the loader finds its symbols')
    print(f'{"not ok" if extra else "ok"} 2 - nothing else is exported')
    for name in sorted(extra | (WANTED - found)):
        print(f'# {name}')
    return bool(extra or WANTED - found)


sys.exit(main())
