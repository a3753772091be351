# SPDX-License-Identifier: MIT
#
# Direct3D 11 in Wine, whose translation to Vulkan a registry key selects. The program is direct3d11.c of this folder, built
# with MinGW-w64.
packages=(wine wine64 gcc-mingw-w64-x86-64-win32) through='Vulkan, wined3d'
run_case() {
    x86_64-w64-mingw32-gcc -O1 -Wall -Wextra -o "$home/direct3d11.exe" "$here/direct3d11.c" -ld3d11 -ld3dcompiler -ldxgi || return 1
    export WINEPREFIX=$home/wine WINEDLLOVERRIDES='mscoree,mshtml,winemenubuilder.exe=' WINEDEBUG=fixme-all
    # The server of the prefix would outlive this script.
    trap 'wineserver -k; finish' EXIT
    wine reg add 'HKCU\Software\Wine\Direct3D' /v renderer /d vulkan /f || return 1
    began_ns=$(date +%s%N)
    frame 10 wine "$home/direct3d11.exe"
}
