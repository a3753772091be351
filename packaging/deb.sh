#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# packaging/deb.sh BUILD_DIR OUT_DIR: makes the two Debian packages of packaging/control from the files that `meson
# install` of a release build installs. dpkg-shlibdeps determines their dependencies from the libraries and symbols that
# they use. Needs no root. BUILD_DIR must be set up with --prefix=/usr and --libdir=lib/TRIPLET/vc4vk: no program links
# with these libraries, so they are in a private folder that ldconfig does not search.
#
# SYSROOT, for a build of another architecture: the sysroot of cross/sysroot.sh. dpkg-shlibdeps reads its libraries and
# its dpkg database (SYSROOT.dpkg).
set -eu

build=$(realpath "$1") out=$(realpath "$2")
root=$(realpath "$(dirname "$0")/..")
work=$build/deb
all=$work/all

rm -rf "$work"
mkdir -p "$work/debian"
DESTDIR=$all meson install -C "$build" --no-rebuild --quiet
triplet=$(basename "$(dirname "$(dirname "$(find "$all/usr/lib" -name libvulkan_vc4vk.so)")")")
case $triplet in
x86_64-linux-gnu) arch=amd64 ;;
aarch64-linux-gnu) arch=arm64 ;;
arm-linux-gnueabihf) arch=armhf ;;
*) echo "deb.sh: no Debian name for $triplet" >&2; exit 1 ;;
esac

# The version contains the time of the last commit, so that apt treats later packages as upgrades. All timestamps are
# that time, so that the same tree gives the same packages.
version=$(meson introspect "$build" --projectinfo | python3 -c 'import json, sys; print(json.load(sys.stdin)["version"])')
if SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct 2>/dev/null); then
    version=$version+git$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y%m%d.%H%M%S)
else
    SOURCE_DATE_EPOCH=$(stat -c %Y "$root/meson.build")
fi
export SOURCE_DATE_EPOCH
maintainer="${DEBFULLNAME:-The vc4vk authors} <${DEBEMAIL:-vc4vk@vc4vk.invalid}>" # who makes packages for others says so

# -- layout of the packages

driver=$work/vc4vk tools=$work/vc4vk-tools
mkdir -p "$tools/usr/share/doc" "$tools/usr/share/man"
mv "$all" "$driver"
mv "$driver/usr/bin" "$tools/usr/"
mv "$driver/usr/share/man/man1" "$tools/usr/share/man/"
docs=$driver/usr/share/doc/vc4vk
mkdir -p "$docs/docs/modules"
sed 's/(LICENSE)/(copyright)/' "$root/README.md" >"$docs/README.md"
cp "$root/NEWS.md" "$docs/"
cp "$root"/docs/*.md "$root"/docs/*.svg "$docs/docs/"
cp "$root"/docs/modules/*.md "$docs/docs/modules/"
# Pages outside docs/ that these link to.
grep -oh '](\.\./[^)#]*/[^)#]*\.md' "$root"/docs/*.md | sed 's/^](\.\.\///' | sort -u | while read -r page; do
    install -D -m 644 "$root/$page" "$docs/$page"
done
cat >"$work/debian/changelog" <<CHANGES
vc4vk ($version) unstable; urgency=medium

  * Snapshot of the source; see its commit log for the changes.

 -- $maintainer  $(date -u -R -d "@$SOURCE_DATE_EPOCH")
CHANGES
gzip -9nc "$work/debian/changelog" >"$docs/changelog.gz"
cat >"$docs/copyright" <<COPYRIGHT
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: vc4vk
Comment: The libraries and programs contain functions of the headers xxhash.h
 and stb_image_write.h: see copyright.xxhash and copyright.stb beside this
 file. libvc4vk_jit.so, if the package has it, may contain parts of LLVM. In
 that case there is a file copyright.llvm, too.

Files: *
$(sed -n 's/^Copyright (c) /Copyright: /p' "$root/LICENSE")
License: MIT
$(sed '1,/^Copyright/d' "$root/LICENSE" | sed '1{/^$/d}; s/^$/./; s/^/ /')
COPYRIGHT
# Their licences ask that these texts accompany binaries.
cp /usr/share/doc/libxxhash-dev/copyright "$docs/copyright.xxhash"
cp /usr/share/doc/libstb-dev/copyright "$docs/copyright.stb"
ln -s vc4vk "$tools/usr/share/doc/vc4vk-tools"
find "$work" -path '*/man/*' -type f -exec gzip -9nf {} +
find "$driver/usr/lib" "$tools/usr/bin" -type f \
    -exec "${STRIP:-strip}" --strip-unneeded --remove-section=.comment --remove-section=.note {} +
find "$driver" "$tools" -type d -exec chmod 755 {} +
find "$driver" "$tools" -type f -exec chmod 644 {} +
chmod 755 "$tools"/usr/bin/*

# -- dependencies

cd "$work"
control=$(<"$root/packaging/control")
printf '%s\n' "${control//@MAINTAINER@/"$maintainer"}" >debian/control
shlibs_options=()
[ -z "${SYSROOT:-}" ] || shlibs_options=(-l"$SYSROOT/usr/lib/$triplet" --admindir="$SYSROOT.dpkg")
for_arch() { dpkg-architecture -a "$arch" -f -c "$@" 2> >(grep -v 'does not match CC system type' >&2); }
mkdir vc4vk/DEBIAN vc4vk-tools/DEBIAN
for package in vc4vk vc4vk-tools; do
    elf=()
    while read -r file; do
        elf+=(-e"$file")
    done < <(find "$package/usr/lib" "$package/usr/bin" -type f 2>/dev/null | sort)
    for_arch dpkg-shlibdeps -T"$package.substvars" "${shlibs_options[@]}" "${elf[@]}"
done
# If LLVM's static archives were linked, the package contains parts of LLVM and must say so.
[ "$arch" != armhf ] || echo 'llvm:Built-Using=' >>vc4vk.substvars
jit=$driver/usr/lib/$triplet/vc4vk/libvc4vk_jit.so
if [ -f "$jit" ] && ! objdump -p "$jit" | grep -q 'NEEDED *libLLVM'; then
    llvm=$(dpkg-query -W -f '${Package} ' 'llvm-*-dev' 2>/dev/null | tr ' ' '\n' | sort -V | tail -n 1)
    cp "/usr/share/doc/$llvm/copyright" "$docs/copyright.llvm"
    dpkg-query -W -f 'llvm:Built-Using=${source:Package} (= ${source:Version})\n' "$llvm" >>vc4vk.substvars
fi
made=()
for package in vc4vk vc4vk-tools; do
    (cd "$package" && find usr -type f -exec md5sum {} + | sort -k 2) >"$package/DEBIAN/md5sums"
    for_arch dpkg-gencontrol -p"$package" -T"$package.substvars" -P"$package" -f"$work/files"
    made+=("$out/${package}_${version}_$arch.deb")
    dpkg-deb --root-owner-group --build "$package" "${made[-1]}"
done
"$root/packaging/check_content.py" "${made[@]}"
lintian --allow-root --fail-on error "${made[@]}"
