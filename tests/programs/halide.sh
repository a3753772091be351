# SPDX-License-Identifier: MIT
#
# Halide, whose compiler writes SPIR-V itself: pipelines for images and matrices in all types of numbers, compared with the
# code that it makes for the processor. Debian 12's Halide knows no Vulkan.
packages=(libhalide19-dev g++) through='Vulkan, Halide'
run_case() {
    g++ -std=c++17 -I/usr/include/halide19 -o "$home/halide" "$here/halide.cpp" -lHalide19 &&
        "$home/halide" "$out.txt"
}
