#!/bin/bash
# SPDX-License-Identifier: MIT
#
# board/guest/kernel.sh FOLDER 6.1|6.12: puts Debian's arm64 kernel into FOLDER: Image, and modules/, which holds those that
# the guest loads, in files whose names begin with their place in the order of loading. The packages are downloaded and
# unpacked, not installed.
set -euo pipefail
here=$(realpath "$(dirname "$0")")
. "$here/../../cross/apt.sh"
fail() { echo "board/guest/kernel.sh: $*" >&2; exit 1; }
case $2 in
6.1) suite=bookworm ;;
6.12) suite=trixie ;;
*) fail "unknown kernel '$2': use 6.1 or 6.12" ;;
esac
# What the guest is booted from; the GPU and what its driver is used with; the screen.
boot=(virtio_mmio virtio_blk ext4)
later=(vc4 panel-simple)
stamp=$(sha256sum "$0" | cut -d' ' -f1)
[ "$(cat "$1/stamp" 2>/dev/null)" != "$stamp" ] || exit 0

rm -rf "$1"
mkdir -p "$1/modules"
cd "$1"
debian_apt apt-get apt "$suite" arm64 update >apt.log || fail "no package lists of $suite: $1/apt.log"
package=$(debian_apt apt-cache apt "$suite" arm64 depends linux-image-arm64 |
    sed -n 's/.*Depends: \(linux-image-[^ ]*\)$/\1/p' | head -n 1)
[ -n "$package" ] || fail "$suite has no kernel for arm64"
(cd apt/archives && debian_apt apt-get .. "$suite" arm64 download "$package") >>apt.log || fail "$package could not be downloaded"
dpkg-deb -x apt/archives/linux-image-*.deb unpacked
version=${package#linux-image-}
[ -d unpacked/lib ] || ln -s usr/lib unpacked/lib
cp "unpacked/boot/vmlinuz-$version" Image
depmod -b unpacked "$version"
number=0
for part in boot later; do
    declare -n wanted=$part
    # modprobe prints each module once for every module that needs it.
    modprobe -d unpacked -S "$version" --show-depends -a "${wanted[@]}" | sed -n 's/^insmod \([^ ]*\).*/\1/p' | awk '!seen[$0]++' \
        >"order.$part"
    while read -r module; do
        name=$(basename "$module")
        case $name in
        *.ko) ;;
        *.ko.xz) xz -dkf "$module"; module=${module%.xz} name=${name%.xz} ;;
        *) fail "do not know how $name is compressed" ;;
        esac
        ls modules/*-"$name" >/dev/null 2>&1 && continue
        number=$((number + 1))
        cp "$module" "modules/$(printf '%s-%03d-%s' "$part" $number "$name")"
    done <"order.$part"
done
ls modules/later-*-vc4.ko >/dev/null || fail "$package has no driver vc4"
echo "$version" >version
rm -rf unpacked apt
echo "$stamp" >stamp
