#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs the soak test for ten minutes, or for SECONDS: resident memory and file descriptors must not grow.
#
#   tests/bench/soak.sh [SECONDS] [BUILD_FOLDER]
set -e
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${2:-$root/build}
VKT_TESTED_ICD=$build/vk_icd.json VKT_NO_VALIDATION=1 VC4VK_CACHE=0 exec "$build/tests/bench/soak" "${1:-600}"
