packages=(ffmpeg) through=Vulkan tolerance=(2 2)
cases=(hflip_vulkan vflip_vulkan transpose_vulkan=dir=clock scale_vulkan=w=256:h=200 gblur_vulkan chromaber_vulkan avgblur_vulkan libplacebo=w=400:h=300)
run_case() {
    ffmpeg -hide_banner -loglevel error -nostdin -init_hw_device vulkan=v:0 -filter_hw_device v -f lavfi -i testsrc2=size=320x240:rate=1 \
        -frames:v 1 -vf "format=yuv420p,hwupload,$1,hwdownload,format=yuv420p" "$out.png"
}
