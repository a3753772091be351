# SPDX-License-Identifier: MIT
#
# Sourced by the scripts that run programs of others on this driver, all of them called so:
#
#   SCRIPT TOOLS_DIR ICD.json REFERENCE_ICD.json [PRELOAD]
#
# PRELOAD: the runtime of a sanitizer that the driver was built with; it must come first in processes that are not ours,
# and its report ends the process with an error. Leaks do not count then (the programs have their own).
# What a script writes goes to $out, a folder of its own, so that scripts can run side by side. They print TAP.
set -u
tools=$1 icd=$2 reference=$3 preload=${4:-}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/x_server.sh"
[ -z "$preload" ] || export ASAN_OPTIONS=detect_leaks=0
out=${VKT_OUT:-$(mktemp -d)}/$(basename "$0" .sh)
number=0 failures=0

# How vkmark is called, where it is not in the path (docs/variables.md).
read -r -a vkmark <<<"${VKMARK:-vkmark}"
has_vkmark() { command -v "${vkmark[0]}" >/dev/null; }

skip() { # REASON
    echo "1..0 # SKIP $*"
    exit 0
}

# The plan of so many tests, an empty folder, an X server of the script's own.
begin() { # TESTS
    echo "1..$1"
    rm -rf "$out"
    mkdir -p "$out"
    start_x_server || exit 1
    trap stop_x_server EXIT
}

report() { # STATUS NAME LOG
    number=$((number + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $number - $2"
    else
        failures=$((failures + 1))
        echo "not ok $number - $2"
        tail -n 20 "$3" | sed 's/^/# /'
    fi
}

# The script's last line: its status.
no_failures() { [ $failures -eq 0 ]; }

# How a program runs, in front of it: on the driver, with the sanitizer's runtime where there is one; on the reference;
# under the validation layer, synchronisation included.
on_driver() { VK_ICD_FILENAMES=$icd LD_PRELOAD=$preload "$@"; }
on_reference() { VK_ICD_FILENAMES=$reference "$@"; }
validated() {
    VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation \
        VK_LAYER_ENABLES=VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT "$@"
}
