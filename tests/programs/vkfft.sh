# SPDX-License-Identifier: MIT
#
# VkFFT, which writes a GLSL program for each size of a Fourier transform: sizes of small and large prime factors, in one
# to three dimensions, of complex and real numbers, in half, single and double precision; and cosine transforms.
packages=(libvkfft-dev glslang-dev libvulkan-dev gcc) through='Vulkan, VkFFT'
run_case() {
    local library libraries=()
    for library in glslang glslang-default-resource-limits MachineIndependent GenericCodeGen OSDependent OGLCompiler HLSL \
        SPIRV SPIRV-Tools-opt SPIRV-Tools; do # releases have some of them
        ! ls /usr/lib/*/lib$library.a >/dev/null 2>&1 || libraries+=("-l$library")
    done
    gcc -w -O1 -I/usr/include/vkFFT -I/usr/include/glslang/Include -o "$home/vkfft" "$here/vkfft.c" -lvulkan \
        -Wl,--start-group "${libraries[@]}" -Wl,--end-group -lstdc++ -lm &&
        "$home/vkfft" "$out.txt"
}
