# SPDX-License-Identifier: MIT
#
# GStreamer's sink, and a filter that draws into an image.
packages=(gstreamer1.0-plugins-bad gstreamer1.0-tools gstreamer1.0-plugins-base) through=Vulkan
cases=(sink identity)
run_case() {
    case $1 in
    sink) frame 1 gst-launch-1.0 videotestsrc ! video/x-raw,width=320,height=240,format=BGRA ! vulkanupload ! vulkancolorconvert ! vulkansink ;;
    identity) gst-launch-1.0 videotestsrc num-buffers=1 ! video/x-raw,width=320,height=240,format=BGRA ! vulkanupload ! vulkanimageidentity ! vulkandownload ! videoconvert ! pngenc ! filesink location=$out.png ;;
    esac
}
