/* SPDX-License-Identifier: MIT
 *
 * Between the files of the DRM backend.
 */
#ifndef KMD_DRM_H
#define KMD_DRM_H

#include "kmd/kmd_backend.h"

/* Restarted when interrupted; 0 or a negative errno, which kmd_last_refusal puts in words. */
int kmd_drm_ioctl(int fd, unsigned long request, void *arg);

uint32_t kmd_drm_enumerate(struct kmd_physical *out, uint32_t capacity);

#endif
