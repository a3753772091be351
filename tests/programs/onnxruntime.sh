# SPDX-License-Identifier: MIT
#
# ONNX Runtime on WebGPU, which is Dawn: operators, compared with its code for the processor. Dawn hides drivers that are
# not conformant.
npm=(onnxruntime-node@1.30.0)
through='Vulkan, ONNX Runtime, Dawn'
run_case() {
    export VC4VK_CONFORMANCE=1.3.0.0
    cp "$here/onnxruntime.js" "$modules/onnxruntime.mjs" && node "$modules/onnxruntime.mjs" "$out.txt"
}
