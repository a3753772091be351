/* SPDX-License-Identifier: MIT
 *
 * Private header of the DRM backend.
 */
#ifndef KMD_DRM_H
#define KMD_DRM_H

#include "kmd/kmd_backend.h"

/* An ioctl, restarted when interrupted. 0 or a negative errno, which kmd_last_refusal() describes. */
int kmd_drm_ioctl(int fd, unsigned long request, void *arg);

/* Address space for mappings (kmd_drm_window.c). When it is full, BOs are mapped elsewhere and have no 32-bit
 * address. */
struct kmd_drm_window {
    uint8_t *base; /* NULL: reserving failed */
    uint64_t size_B;
    pthread_mutex_t mutex; /* protects gaps */
    struct util_list gaps; /* free ranges, by address */
};
void kmd_drm_window_init(struct kmd_drm_window *window);
void kmd_drm_window_finish(struct kmd_drm_window *window);
/* Maps a BO at its place. Elsewhere, without a 32-bit address, if there is no room there, unless the BO has a fixed
 * place_addr. NULL: failed. */
void *kmd_drm_window_map(struct kmd_drm_window *window, int fd, uint64_t offset_B, const struct kmd_bo *bo);
uint32_t kmd_drm_window_upper_addr(const struct kmd_drm_window *window); /* first address of the upper part */
void kmd_drm_window_unmap(struct kmd_drm_window *window, void *map, uint32_t size_B);
bool kmd_drm_window_addr(const struct kmd_drm_window *window, const void *map, uint32_t *addr_out);

uint32_t kmd_drm_enumerate(struct kmd_physical *out, uint32_t capacity);

#endif
