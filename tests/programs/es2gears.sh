# SPDX-License-Identifier: MIT
#
# OpenGL ES gears.
packages=(mesa-utils libgl1-mesa-dri) through='zink'
run_case() {
    use_zink
    still_frame 8 es2gears_x11
}
