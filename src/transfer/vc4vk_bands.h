/* SPDX-License-Identifier: MIT
 *
 * Cuts the rows of a transfer into bands and runs them on all cores, or all at once when there are too few rows. A band
 * begins at a row of tiles, so that no two bands share a cache line of tiled memory.
 */
#ifndef TRANSFER_VC4VK_BANDS_H
#define TRANSFER_VC4VK_BANDS_H

#include "engine/vc4vk_parallel.h"

/* Transfers rows [begin, end); false when memory cannot be mapped. */
typedef bool (*vc4vk_band_fn)(const void *data, uint32_t begin, uint32_t end);

/* Calls `run` for all rows in [begin, end), of about `row_B` bytes each. False when a call has returned false. */
bool vc4vk_run_bands(struct vc4vk_parallel *parallel, uint32_t begin, uint32_t end, uint64_t row_B, vc4vk_band_fn run,
                     const void *data);

#endif
