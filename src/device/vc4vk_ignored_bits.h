/* SPDX-License-Identifier: MIT
 *
 * Drops usage and creation bits of extensions that the driver does not support. Some applications set such bits
 * although the extension is missing, and other drivers tolerate that. This driver drops the bits and reports each of
 * them once per device, on stderr under VC4VK_DEBUG=perf and to debug messengers.
 *
 * Core bits that ask for features which are unsupported (protected) or need not be enabled (sparse) count as known
 * here: callers refuse them where needed.
 */
#ifndef DEVICE_VC4VK_IGNORED_BITS_H
#define DEVICE_VC4VK_IGNORED_BITS_H

#include "device/vc4vk_device.h"

/* The known ones of a field's bits. */
uint32_t vc4vk_known_bits(enum vc4vk_bits field, uint32_t bits);

/* As vc4vk_known_bits, and reports unknown bits. */
uint32_t vc4vk_drop_unknown_bits(struct vc4vk_device *device, enum vc4vk_bits field, uint32_t bits);

#endif
