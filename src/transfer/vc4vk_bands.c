/* SPDX-License-Identifier: MIT */
#include <stdatomic.h>
#include "transfer/vc4vk_bands.h"

#define BAND_ALIGN 32u                    /* rows of the tallest tiles */
#define BAND_B     (UINT64_C(128) << 10) /* minimum size of a band: below it another thread does not pay */

struct bands {
    vc4vk_band_fn run;
    const void *data;
    uint32_t begin, end, rows; /* of the transfer; `rows` per band, from the row of tiles that `begin` lies in */
    atomic_bool has_failed;
};

static void run_band(void *data, uint32_t band)
{
    struct bands *b = data;
    const uint32_t first = b->begin / BAND_ALIGN * BAND_ALIGN + band * b->rows;
    if (!b->run(b->data, MAX2(first, b->begin), MIN2(first + b->rows, b->end)))
        atomic_store(&b->has_failed, true);
}

bool vc4vk_run_bands(struct vc4vk_parallel *parallel, uint32_t begin, uint32_t end, uint64_t row_B, vc4vk_band_fn run,
                     const void *data)
{
    if (begin >= end)
        return true;
    if ((end - begin) * row_B < 2 * BAND_B)
        return run(data, begin, end);
    struct bands b = {.run = run, .data = data, .begin = begin, .end = end};
    b.rows = util_align((uint32_t)MIN2(BAND_B / MAX2(row_B, 1u) + 1, UINT64_C(1) << 20), BAND_ALIGN);
    const uint32_t span = end - begin / BAND_ALIGN * BAND_ALIGN;
    vc4vk_parallel_for(parallel, util_div_round_up(span, b.rows), run_band, &b);
    return !atomic_load(&b.has_failed);
}
