/* SPDX-License-Identifier: MIT
 *
 * Usage and creation bits of extensions that are not reported. Applications set them all the same, having asked for an
 * extension and gone on without it; other drivers do not mind, so neither does this one: such bits are left out, and
 * reported once for each bit and device, on stderr under VC4VK_DEBUG=perf and to debug messengers.
 *
 * Bits of Vulkan itself that ask for what the driver does not have (sparse, protected) are errors where they matter and
 * count as known here.
 */
#ifndef DEVICE_VC4VK_IGNORED_BITS_H
#define DEVICE_VC4VK_IGNORED_BITS_H

#include "device/vc4vk_device.h"

/* The bits of a field that are known. */
uint32_t vc4vk_known_bits(enum vc4vk_bits field, uint32_t bits);

/* The same, and reports the others. */
uint32_t vc4vk_drop_unknown_bits(struct vc4vk_device *device, enum vc4vk_bits field, uint32_t bits);

#endif
