/* SPDX-License-Identifier: MIT */
#ifndef ISSUE_VC4VK_ISSUE_DEVICE_H
#define ISSUE_VC4VK_ISSUE_DEVICE_H

#include "descriptor/vc4vk_upload_ring.h"

struct vc4vk_device;

/* The upload ring for work on this timeline; `timeline` NULL: for work that has finished when its build ends. NULL when
 * the ring cannot be created. */
struct vc4vk_upload_ring *vc4vk_device_upload_ring(struct vc4vk_device *device, const struct kmd_timeline *timeline);

#endif
