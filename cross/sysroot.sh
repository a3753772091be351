#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# cross/sysroot.sh arm64|armhf [PACKAGE...]: fills build-sysroot/ARCH with Debian's libraries of that architecture, for the
# compiler and for qemu, and with the named packages without their dependencies. An apt with a separate state downloads
# the packages, and they are unpacked but not installed: the machine's own packages, foreign architectures and package
# lists do not change, and root is not needed. build-sysroot/ARCH.dpkg is a dpkg database of them for dpkg-shlibdeps.
set -eu
cd "$(dirname "$0")/.."
. cross/apt.sh

arch=$1
shift
alone=("$@")
case $arch in
arm64 | armhf) ;;
*) echo "sysroot.sh: unknown architecture '$arch': use arm64 or armhf" >&2; exit 1 ;;
esac
packages=(
    libc6-dev "libgcc-$(gcc -dumpversion | cut -d. -f1)-dev" zlib1g-dev libpng-dev libdrm-dev libmd-dev libxxhash-dev
    libstb-dev libvulkan-dev libvulkan1 libcmocka-dev
    libxcb1-dev libxcb-shm0-dev libxcb-dri3-dev libxcb-present-dev libxcb-composite0-dev libx11-dev libwayland-dev
    mesa-vulkan-drivers # lavapipe, the reference of the API tests
    vulkan-tools        # vulkaninfo, of packaging/check_deb.sh
    libegl-dev libgles-dev # Mesa's OpenGL, beside which the driver is tested in ./run board
)

root=build-sysroot/$arch
stamp=build-sysroot/$arch.done
known=$PWD/$root.dpkg
want=$(echo "${packages[*]} ${alone[*]}" | cat - "$0" | sha256sum)
[ "$(cat "$stamp" 2>/dev/null)" != "$want" ] || exit 0

apt=$PWD/build-sysroot/apt-$arch
rm -rf "$root" "$known" "$apt" "$stamp"
mkdir -p "$apt" "$known/info"
# Uses the machine's Debian repositories only, none of the others that are configured.
debian_repositories deb >"$apt/sources.list"
[ -s "$apt/sources.list" ] || { echo "sysroot.sh: apt has no package lists of a Debian repository; run apt-get update" >&2; exit 1; }
# A repository that cannot be read is not fatal: the next step reports packages that are missing.
own_apt apt-get "$apt" "$arch" update || true
own_apt apt-get "$apt" "$arch" install -y --download-only "${packages[@]}"

if [ ${#alone[@]} -gt 0 ]; then
    (cd "$apt/archives" && own_apt apt-get .. "$arch" download "${alone[@]}")
fi

mkdir -p "$root"
for dir in bin lib sbin; do
    mkdir -p "$root/usr/$dir"
    ln -s "usr/$dir" "$root/$dir"
done
printf '%s\n' "$(dpkg --print-architecture)" "$arch" >"$known/arch"
echo 1 >"$known/info/format"
for package in "$apt"/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$package" | tar -xv -C "$root" --keep-directory-symlink \
        --exclude ./etc --exclude ./var --exclude './usr/share/doc' --exclude './usr/share/man' \
        --exclude './usr/share/locale' --exclude './usr/share/perl*' --exclude './usr/lib/*/perl*' --exclude './usr/lib/python3*' \
        >"$apt/files"
    rm -rf "$apt/control"
    dpkg-deb -e "$package" "$apt/control"
    name=$(sed -n 's/^Package: //p' "$apt/control/control")
    ! grep -q '^Multi-Arch: same' "$apt/control/control" || name=$name:$arch
    { cat "$apt/control/control"; printf 'Status: install ok installed\n\n'; } >>"$known/status"
    sed -n "s|^\./lib/|./usr/lib/|; s|^\.\(.*\.so.*\)|$PWD/$root\1|p" "$apt/files" >"$known/info/$name.list"
    for part in symbols shlibs; do
        [ ! -f "$apt/control/$part" ] || mv "$apt/control/$part" "$known/info/$name.$part"
    done
done
# Makes absolute links relative, because they are followed from outside the sysroot.
find "$root" -type l -lname '/*' | while read -r link; do
    ln -srfn "$root$(readlink "$link")" "$link"
done
rm -rf "$apt"
printf "[constants]\nsysroot = '%s'\n" "$PWD/$root" >"build-sysroot/$arch.ini"
echo "$want" >"$stamp"
