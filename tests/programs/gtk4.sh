# SPDX-License-Identifier: MIT
#
# GTK 4's gallery of widgets, by its OpenGL renderer: Debian builds GTK 4 without the Vulkan one.
packages=(gtk-4-examples) through='zink, GTK 4'
run_case() {
    use_zink
    export GSK_RENDERER=gl GDK_BACKEND=x11
    still_frame 3 gtk4-widget-factory
}
