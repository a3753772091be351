# SPDX-License-Identifier: MIT
#
# Frames of a test source, through the shaders that libplacebo makes for options.
packages=(mpv) through='Vulkan, libplacebo' tolerance=(4 5)
cases=(gpu gpu-next scale downscale hdr deband error-diffusion rotate 10bit)
run_case() {
    local source='testsrc2=size=320x240:rate=1' options=()
    case $1 in
    gpu) options=(--vo=gpu) ;;
    scale) options=(--profile=gpu-hq --scale=ewa_lanczossharp --autofit=640x480) ;;
    downscale) options=(--profile=gpu-hq --dscale=mitchell --correct-downscaling --autofit=200x150) ;;
    hdr) options=(--vf=format:colormatrix=bt.2020-ncl:gamma=pq:primaries=bt.2020:sig-peak=10 --tone-mapping=bt.2390 --hdr-compute-peak=yes) ;;
    deband) options=(--deband=yes --deband-iterations=4 --deband-grain=0) ;;
    error-diffusion) options=(--dither=error-diffusion --dither-depth=4 --vo=gpu-next) ;;
    rotate) options=(--video-rotate=90 --video-unscaled=no) ;;
    10bit) options=(--vf=format:yuv420p10) ;;
    esac
    frame 1 mpv --no-config --vo=gpu-next --gpu-api=vulkan "--vulkan-device=$(device_name)" --no-osc --osd-level=0 --pause --idle=no --keep-open=yes --no-audio --no-input-default-bindings "${options[@]}" "av://lavfi:$source"
}
