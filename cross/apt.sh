# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# An apt with a state of its own, for packages that are downloaded and unpacked but not installed: the machine's packages,
# foreign architectures and lists do not change. To be sourced by bash.

# Prints the address of the machine's Debian mirror.
debian_mirror() {
    apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' 'Origin: Debian' | head -n 1
}

# Prints the machine's Debian repositories as lines of a sources.list, of packages or of their sources.
debian_repositories() { # deb | deb-src
    apt-get indextargets --format "$1 \$(REPO_URI) \$(RELEASE) \$(COMPONENT)" 'Identifier: Packages' 'Origin: Debian' | sort -u
}

# own_apt TOOL FOLDER ARCH ARGUMENTS...: apt-get or apt-cache with lists and archives in FOLDER, where sources.list is
# expected.
own_apt() {
    local tool=$1 dir arch=$3
    dir=$(realpath "$2")
    shift 3
    mkdir -p "$dir/lists/partial" "$dir/archives/partial"
    [ -f "$dir/status" ] || : >"$dir/status"
    "$tool" -q -o APT::Architecture="$arch" -o APT::Architectures::="$arch" -o APT::Sandbox::User= \
        -o Acquire::Languages=none -o Debug::NoLocking=true -o APT::Install-Recommends=false \
        -o Dir::Etc::sourcelist="$dir/sources.list" -o Dir::Etc::sourceparts=/dev/null \
        -o Dir::State::lists="$dir/lists" -o Dir::State::status="$dir/status" -o Dir::Cache="$dir" "$@"
}

# debian_apt TOOL FOLDER SUITE ARCH ARGUMENTS...: the same with the packages of one Debian release.
debian_apt() {
    local tool=$1 dir=$2 suite=$3 mirror
    shift 3
    if [ ! -f "$dir/sources.list" ]; then
        mirror=$(debian_mirror)
        [ -n "$mirror" ] || { echo "apt knows no Debian mirror (apt-get update?)" >&2; return 1; }
        mkdir -p "$dir"
        echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" >"$dir/sources.list"
    fi
    own_apt "$tool" "$dir" "$@"
}
