# SPDX-License-Identifier: MIT
#
# GTK 4's gallery of widgets, by its OpenGL renderer and by its Vulkan renderer. Debian 12 builds GTK 4 without the latter.
packages=(gtk-4-examples) through='zink or Vulkan, GTK 4'
[[ $(dpkg-query -W -f '${Depends}' libgtk-4-1 2>/dev/null) != *libvulkan1* ]] || cases+=(vulkan)
run_case() {
    use_zink
    export GSK_RENDERER=gl GDK_BACKEND=x11
    [ "$1" != vulkan ] || export GSK_RENDERER=vulkan
    still_frame 3 gtk4-widget-factory
}
