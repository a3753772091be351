# SPDX-License-Identifier: MIT
#
# Tests that come with SDL 2: its Vulkan surface, OpenGL, and its own renderer.
packages=(libsdl2-tests) through='Vulkan or zink'
cases=(testvulkan testgl2 testshader testgeometry testdraw2 testrendertarget testsprite2)
run_case() {
    local options=()
    use_zink
    clocked=libSDL
    step_ms=0
    case $1 in
    testgl2) options=(--fsaa 0) ;;
    testshader) cd /usr/libexec/installed-tests/SDL2 || return 1 ;; # it loads icon.bmp from the working directory
    testvulkan) ;;
    *) options=(--renderer opengl) ;;
    esac
    still_frame 5 "/usr/libexec/installed-tests/SDL2/$1" "${options[@]}"
}
