# SPDX-License-Identifier: MIT
#
# Tests that come with SDL 2: Vulkan, OpenGL ES, and its own renderer.
packages=(libsdl2-tests) through='Vulkan, SDL 2'
cases=(testvulkan testgles2 testdraw2 testrendertarget testsprite2)
run_case() {
    local options=()
    use_zink
    clocked=libSDL
    [ "$1" = testvulkan ] || options=(--renderer opengl)
    still_frame 5 "/usr/libexec/installed-tests/SDL2/$1" "${options[@]}"
}
