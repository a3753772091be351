#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# tests/debian/bare.sh [--keep] 12|13 COMMAND...: runs `./run COMMAND...` in a bare Debian of that release, that is, in
# what `debootstrap --variant=minbase` installs and nothing else, on a copy of the files that git tracks or does not
# ignore.
#
# build-debian/N.tar is that bare Debian, created once. build-debian/N is the root in which the command runs: a new one,
# or with --keep the previous one with its packages and its build, if it exists. Packages that apt has downloaded stay
# in build-debian/N.debs. demo.png and the tests' logs are copied to build-debian/N.out.
#
# The mirror and the network settings are those of this machine's apt. Needs root. The mounts for the command are made
# in a separate mount namespace and vanish with it.
set -eu

keep=
if [ "${1:-}" = --keep ]; then
    keep=yes
    shift
fi
fail() { echo "bare.sh: $*" >&2; exit 1; }
release=${1:-}
case $release in
12) suite=bookworm ;;
13) suite=trixie ;;
*) fail "usage: bare.sh [--keep] 12|13 COMMAND..." ;;
esac
shift
[ $# -gt 0 ] || fail "no command to run in Debian $release given"
cd "$(dirname "$0")/../.."
[ "$(id -u)" -eq 0 ] || fail "needs root, for debootstrap and chroot: sudo ./run debian $release $*"
command -v debootstrap >/dev/null || fail "debootstrap is not installed"

mkdir -p build-debian
dir=$PWD/build-debian root=$PWD/build-debian/$release tar=$PWD/build-debian/$release.tar

make_bare() {
    local new=$dir/$release.new mirror
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' 'Origin: Debian' | head -n 1)
    [ -n "$mirror" ] || fail "apt knows no Debian mirror (apt-get update?)"
    echo "bare.sh: debootstrap of $suite from $mirror"
    rm -rf "$new"
    debootstrap --variant=minbase "$suite" "$new" "$mirror" >"$dir/$release.log" 2>&1 || {
        tail -n 20 "$dir/$release.log" >&2
        fail "no Debian $release from $mirror ($dir/$release.log)"
    }
    rm -rf "$new"/var/cache/apt/archives/*.deb
    tar -C "$new" --one-file-system -cf "$tar.new" .
    rm -rf "$new"
    mv "$tar.new" "$tar"
}

# Copies this machine's settings for fetching packages: proxies, certificates, name servers.
copy_network() {
    cp /etc/resolv.conf /etc/hosts "$root/etc/"
    apt-config dump | grep -E '^Acquire::((http|https)::|Check-|Retries)' >"$root/etc/apt/apt.conf.d/90machine" || true
    mkdir -p "$root/etc/ssl/certs"
    [ ! -f /etc/ssl/certs/ca-certificates.crt ] || [ -f "$root/etc/ssl/certs/ca-certificates.crt" ] ||
        cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
}

# Copies the project's files from the working tree. Builds in a kept root stay.
copy_project() {
    mkdir -p "$root/vc4vk"
    find "$root/vc4vk" -mindepth 1 -maxdepth 1 -not -name 'build*' -exec rm -rf {} +
    git ls-files -z --cached --others --exclude-standard | tar --null --ignore-failed-read -cf - -T - 2>/dev/null |
        tar -C "$root/vc4vk" -xf -
}

[ -f "$tar" ] || make_bare
if [ -z "$keep" ] || [ ! -f "$root.made" ]; then
    rm -rf "$root" "$root.made"
    mkdir "$root"
    tar -C "$root" -xf "$tar"
    # The root is thrown away: dpkg need not wait for the disk after each file.
    echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/90thrown-away"
    touch "$root.made"
fi
copy_network
copy_project
mkdir -p "$root.debs/partial" "$root.out"
rm -rf "$root.out"/*

begin=$SECONDS status=0
# Only proxies, FRAMES, the length of the demo, and CI are passed on; the rest of the environment is Debian's.
environment=(PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 TERM=dumb)
for name in http_proxy https_proxy no_proxy FRAMES CI; do
    [ -z "${!name:-}" ] || environment+=("$name=${!name}")
done
unshare --mount --pid --fork --kill-child --propagation private bash -euc '
    root=$1
    shift
    mount -t proc proc "$root/proc"
    mount --rbind /sys "$root/sys"
    mount --rbind /dev "$root/dev"
    mount -t tmpfs tmpfs "$root/dev/shm"
    mount --bind "$root.debs" "$root/var/cache/apt/archives"
    exec chroot "$root" env -i "$@"
' bash "$root" "${environment[@]}" bash -c 'cd /vc4vk && exec ./run "$@"' run "$@" || status=$?
[ ! -f "$root/vc4vk/demo.png" ] || cp "$root/vc4vk/demo.png" "$root.out/"
for build in "$root"/vc4vk/build*/; do
    if [ -d "$build/meson-logs" ]; then
        mkdir -p "$root.out/$(basename "$build")"
        cp -r "$build/meson-logs" "$root.out/$(basename "$build")/"
    fi
done
echo "bare.sh: ./run $* in a $([ -n "$keep" ] && echo kept || echo bare) Debian $release (gcc" \
    "$(chroot "$root" gcc -dumpfullversion 2>/dev/null || echo none)): exit status $status after $((SECONDS - begin)) s"
exit $status
