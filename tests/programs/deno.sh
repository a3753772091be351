# SPDX-License-Identifier: MIT
#
# WebGPU in Deno, which is wgpu. It hides drivers that are not conformant.
npm=(@deno/linux-x64-glibc@2.9.6 @tensorflow/tfjs-core@4.22.0 @tensorflow/tfjs-backend-cpu@4.22.0 @tensorflow/tfjs-backend-webgpu@4.22.0)
through='Vulkan, wgpu' tolerance=(6 10)
cases=(picture tensorflow)
run_case() {
    export VC4VK_CONFORMANCE=1.3.0.0 DENO_WEBGPU_BACKEND=vulkan NO_COLOR=1
    local run=("$modules/@deno/linux-x64-glibc/deno" run --unstable-webgpu --no-prompt -A)
    case $1 in
    picture) "${run[@]}" "$here/webgpu.js" "$out.png" ;;
    tensorflow) cp "$here/tensorflow.js" "$modules/tensorflow.mjs" && "${run[@]}" "$modules/tensorflow.mjs" "$out.txt" ;;
    esac
}
