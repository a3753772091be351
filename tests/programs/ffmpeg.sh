# SPDX-License-Identifier: MIT
#
# Filters of FFmpeg. avgblur's shader has a race between planes, so it gets one plane, of whole workgroups.
packages=(ffmpeg) through=Vulkan tolerance=(6 2)
cases=(hflip vflip transpose scale gblur chromaber avgblur libplacebo)
run_case() {
    local filter=$1_vulkan format=yuv420p size=320x240
    case $1 in
    transpose) filter=transpose_vulkan=dir=clock ;;
    scale) filter=scale_vulkan=w=256:h=200 ;;
    avgblur) format=gray size=128x96 ;;
    libplacebo) filter=libplacebo=w=400:h=300 ;;
    esac
    ffmpeg -hide_banner -loglevel error -nostdin -init_hw_device vulkan=v:0 -filter_hw_device v -f lavfi -i testsrc2=size=$size:rate=1 \
        -frames:v 1 -vf "format=$format,hwupload,$filter,hwdownload,format=$format" "$out.png"
}
