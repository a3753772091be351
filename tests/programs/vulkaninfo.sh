# SPDX-License-Identifier: MIT
#
# Lists the device. What it lists differs; the result is that it comes to its end.
packages=(vulkan-tools) through=Vulkan
run_case() { vulkaninfo >"$home/list" && grep -q '^Device Properties and Extensions' "$home/list" && echo 'it ends' >"$out.txt"; }
