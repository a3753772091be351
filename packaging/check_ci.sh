#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# packaging/check_ci.sh vc4vk_*_ARCH.deb: builds the container of ci/Containerfile with the package, runs in it what its head
# says, and runs the steps of ci/github-workflow.yml in the container that the workflow names. `debian:12` is made by
# debootstrap, as no registry is asked. Needs root, buildah and debootstrap, and this machine's architecture.
set -eu

package=$(realpath "$1")
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export BUILDAH_ISOLATION=chroot STORAGE_DRIVER=vfs
export CONTAINERS_STORAGE_CONF=$work/storage.conf
printf '[storage]\ndriver = "vfs"\ngraphroot = "%s"\nrunroot = "%s"\n' "$work/graph" "$work/run" >"$CONTAINERS_STORAGE_CONF"
fail() { echo "check_ci: $*" >&2; exit 1; }
quiet() { "$@" >"$work/log" 2>&1 || { tail -n 40 "$work/log" >&2; fail "$1 ${2:-} failed"; }; }

# The image that is called debian:12, with this machine's settings for fetching packages.
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' 'Origin: Debian' | head -n 1)
quiet debootstrap --variant=minbase bookworm "$work/debian" "$mirror"
apt-config dump | grep -E '^Acquire::((http|https)::|Check-|Retries)' >"$work/debian/etc/apt/apt.conf.d/90machine" || true
base=$(buildah from scratch)
quiet buildah add "$base" "$work/debian" /
quiet buildah commit --rm "$base" docker.io/library/debian:12
rm -rf "$work/debian"

mkdir "$work/context"
cp "$package" "$work/context/"
quiet buildah bud --pull-never -t vulkan-ci -f "$PWD/packaging/ci/Containerfile" "$work/context"
container=$(buildah from --pull-never vulkan-ci)
commands=$(sed -n 's/^#   podman run --rm vulkan-ci //p' packaging/ci/Containerfile)
[ -n "$commands" ] || fail "ci/Containerfile names no command"
while read -r command; do
    buildah run "$container" -- bash -c "$command" </dev/null >"$work/log" 2>&1 || { tail "$work/log"; fail "$command failed"; }
    [[ $command != vulkaninfo* ]] || grep -q 'deviceName .*(vc4vk)' "$work/log" || fail "vulkaninfo does not list the device"
    echo "check_ci: container: $command"
done <<<"$commands"

steps=$(sed -n 's/^      - run: //p' packaging/ci/github-workflow.yml)
image=$(sed -n 's/^    container: //p' packaging/ci/github-workflow.yml)
[ -n "$steps" ] && [ -n "$image" ] || fail "ci/github-workflow.yml has no steps"
container=$(buildah from --pull-never "docker.io/library/$image")
quiet buildah copy "$container" "$package" /repository/
sed -n '/^    env:/,/^    steps:/s/^      \([A-Z0-9_]*\): /export \1=/p' packaging/ci/github-workflow.yml >"$work/env"
while read -r step; do
    buildah run "$container" -- bash -ec "cd /repository; $(cat "$work/env"); $step" </dev/null >"$work/log" 2>&1 ||
        { tail "$work/log"; fail "the step $step failed"; }
    [[ $step != vulkaninfo* ]] || grep -q 'deviceName .*(vc4vk)' "$work/log" || fail "vulkaninfo does not list the device"
    echo "check_ci: workflow: $step"
done <<<"$steps"
