# SPDX-License-Identifier: MIT
#
# Language models by llama.cpp: a small one with random weights of each type, whose next tokens are compared with those
# that llama.cpp finds without a GPU.
npm=(node-llama-cpp@3.22.1 @node-llama-cpp/linux-x64-vulkan@3.22.1 @node-llama-cpp/linux-x64@3.22.1)
through='Vulkan, ggml'
cases=(f32 f16 q8_0 q4_0)
run_case() {
    cp "$here/llama.js" "$modules/llama.mjs" && python3 "$here/llama_model.py" "$1" "$home/model.gguf" || return
    export GGML_VK_VISIBLE_DEVICES=0 # a device of type CPU is not used unless it is named
    node "$modules/llama.mjs" "$home/model.gguf" "$out.txt"
}
