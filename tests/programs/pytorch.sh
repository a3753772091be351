# SPDX-License-Identifier: MIT
#
# PyTorch's Vulkan backend: operations and a network of convolutions, compared with the processor.
packages=(python3-torch) through='Vulkan, PyTorch'
unusable() {
    python3 -c 'import sys, torch; sys.exit(torch.is_vulkan_available())' 2>/dev/null && echo 'built without Vulkan'
}
run_case() { python3 "$here/pytorch.py" "$out.txt"; }
