#!/bin/sh
# SPDX-License-Identifier: MIT
#
# replayed.sh IN.vc4trace OUT.png: stands for vc4-replay where the guest has replayed all traces: copies the guest's picture,
# which is in $BOARD_JOBS.
exec cp "$BOARD_JOBS/$(basename "$1" .vc4trace).png" "$2"
