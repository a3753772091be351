/* SPDX-License-Identifier: MIT
 *
 * The state of the display, and what all files of it need.
 */
#include <stdlib.h>
#include <string.h>
#include "shim/shim_kms.h"
#include "util/environment.h"

struct shim_kms shim_kms = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .fbs = {&shim_kms.fbs, &shim_kms.fbs},
    .blobs = {&shim_kms.blobs, &shim_kms.blobs},
    .last_id = SHIM_KMS_FIRST_DYNAMIC,
};

bool shim_kms_display_is(const char *word)
{
    const char *display = util_environment("VC4VK_SHIM_DISPLAY");
    return display && !strcmp(display, word);
}

void shim_kms_copy_array(uint64_t to, uint32_t *count_inout, const void *items, uint32_t count, size_t item_B)
{
    if (to)
        memcpy((void *)(uintptr_t)to, items, MIN2(*count_inout, count) * item_B);
    *count_inout = count;
}

void shim_kms_collect_blobs(void)
{
    util_list_for_each_safe(struct shim_kms_blob, blob, &shim_kms.blobs, link) {
        if (blob->owner || blob->id == shim_kms.state.mode_blob)
            continue;
        util_list_del(&blob->link);
        free(blob);
    }
}
