# SPDX-License-Identifier: MIT
#
# Sourced by the scripts that run third-party programs on this driver. All of them are called as
#
#   SCRIPT TOOLS_DIR ICD.json REFERENCE_ICD.json [PRELOAD]
#
# PRELOAD: the runtime of the sanitizer that the driver was built with. It must be loaded first in programs that are not
# built with it, and its report ends the process with an error. Leaks are not reported, because the programs have their
# own. A script writes to $out, its own folder, so that scripts can run at the same time. The scripts print TAP.
set -u
tools=$1 icd=$2 reference=$3 preload=${4:-}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/x_server.sh"
[ -z "$preload" ] || export ASAN_OPTIONS=detect_leaks=0
out=${VKT_OUT:-$(mktemp -d)}/$(basename "$0" .sh)
number=0 failures=0

# The vkmark command, if it is not in the path (docs/variables.md).
read -r -a vkmark <<<"${VKMARK:-vkmark}"
has_vkmark() { command -v "${vkmark[0]}" >/dev/null; }

skip() { # REASON
    echo "1..0 # SKIP $*"
    exit 0
}

# For tests/summary.py: what judges the driver here besides this project; below, the two judges that several scripts
# have.
judge() { echo "# judge: $1"; } # NAME
layer_and_reference_judge() {
    if has_validation; then judge 'validation layer'; else echo '# no judge: validation layer: not installed'; fi
    if [ -n "$reference" ]; then judge lavapipe; else echo '# no judge: lavapipe: not installed'; fi
}

# Prints the plan for that many tests, makes an empty folder and starts the script's own X server.
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

# A case that the validation layer decides. Skipped where the layer is not installed.
report_validated() { # STATUS NAME LOG
    if has_validation; then
        report "$@"
    else
        number=$((number + 1))
        echo "ok $number - $2 # SKIP the validation layer is not installed"
    fi
}

# Call this last: its status is the script's.
no_failures() { [ $failures -eq 0 ]; }

# Prefixes for a command. They run it on the driver, with the sanitizer's runtime if there is one; on the reference;
# and, below, under the validation layer with synchronisation validation.
on_driver() { VK_ICD_FILENAMES=$icd LD_PRELOAD=$preload "$@"; }
on_reference() { [ -n "$reference" ] && VK_ICD_FILENAMES=$reference "$@"; }

# frame_of FRAME OUT.png COMMAND...: runs a program and writes the image of its FRAME-th present, no matter what the
# driver shows of it and when (tests/window/frame_layer.c). Returns the program's exit status, or 125 when there is no
# image. On the reference only the image counts: lavapipe 22 presents from a thread of its own, and a program can end
# with an X error because that thread presents to a window that is already gone.
frame_of() {
    local frame=$1 picture=$2
    shift 2
    rm -f "$picture"
    VK_LAYER_PATH=$tools/../window VK_INSTANCE_LAYERS=VK_LAYER_VC4VK_frame FRAME_LAYER=$frame:$picture "$@"
    local status=$?
    [ "$1" != on_reference ] || status=0
    [ -s "$picture" ] || status=125
    return $status
}
has_validation() {
    local folder
    for folder in /etc /usr/local/etc /usr/share /usr/local/share; do
        ! grep -qs VK_LAYER_KHRONOS_validation "$folder"/vulkan/explicit_layer.d/*.json || return 0
    done
    return 1
}
validated() {
    VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation \
        VK_LAYER_ENABLES=VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT "$@"
}
