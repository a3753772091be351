# SPDX-License-Identifier: MIT
#
# WebGPU in Node, which is Dawn, as in Chromium.
npm=(webgpu@0.6.2 @tensorflow/tfjs-core@4.22.0 @tensorflow/tfjs-backend-cpu@4.22.0 @tensorflow/tfjs-backend-webgpu@4.22.0)
through='Vulkan, Dawn' tolerance=(6 10)
cases=(picture tensorflow)
run_case() {
    cp "$here"/{dawn,tensorflow,webgpu}.js "$modules" || return
    (cd "$modules" && for f in dawn tensorflow webgpu; do mv $f.js $f.mjs; done)
    case $1 in
    picture) node "$modules/dawn.mjs" webgpu "$out.png" ;;
    tensorflow) node "$modules/dawn.mjs" tensorflow "$out.txt" ;;
    esac
}
