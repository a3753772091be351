# SPDX-License-Identifier: MIT
#
# Pages with WebGL 2, WebGL 1 and a canvas in the headless browser. They are compared with the browser's own
# SwiftShader: it refuses lavapipe of Debian 12, which lacks an extension.
packages=(chromium) through='Vulkan, ANGLE' tolerance=(6 10)
cases=(webgl2 webgl1 canvas)
run_case() {
    local backend=(--use-angle=vulkan --enable-features=Vulkan --disable-software-rasterizer)
    [ "$role" = driver ] || backend=(--use-angle=swiftshader --enable-unsafe-swiftshader)
    chromium --headless=new --no-sandbox --disable-gpu-sandbox --use-gl=angle "${backend[@]}" --ignore-gpu-blocklist \
        --disable-quic --no-first-run --disable-extensions --disable-background-networking --disable-component-update \
        --disable-sync --user-data-dir="$home/chromium" --window-size=400,300 --hide-scrollbars \
        --virtual-time-budget=5000 --screenshot="$out.png" "file://$here/$1.html"
}
