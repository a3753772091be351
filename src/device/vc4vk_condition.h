/* SPDX-License-Identifier: MIT
 *
 * The condition of VK_EXT_conditional_rendering. It is read from memory when a command runs, never when it is recorded.
 */
#ifndef DEVICE_VC4VK_CONDITION_H
#define DEVICE_VC4VK_CONDITION_H

#include <string.h>
#include "kmd/kmd.h"

struct vc4vk_condition {
    struct kmd_bo *bo; /* of a buffer, which lives as long as the commands; NULL: inherited */
    uint64_t offset_B; /* of the 32-bit value */
    bool is_inverted;  /* commands run if the value is zero, else if it is not */
};

/* Whether this stands for the condition of the primary that executes the recording, if it has one then. */
static inline bool vc4vk_condition_is_inherited(const struct vc4vk_condition *condition)
{
    return condition && !condition->bo;
}

/* Whether commands run. NULL, or inherited when there is none: unconditionally. A value that lies outside of the memory
 * counts as zero. */
static inline bool vc4vk_condition_holds(const struct vc4vk_condition *condition)
{
    uint32_t value = 0;
    if (!condition || vc4vk_condition_is_inherited(condition))
        return true;
    const struct kmd_bo *bo = condition->bo;
    const uint8_t *map = kmd_bo_map(condition->bo);
    if (map && bo->size_B >= sizeof value && condition->offset_B <= bo->size_B - sizeof value)
        memcpy(&value, map + condition->offset_B, sizeof value);
    return (value != 0) != condition->is_inverted;
}

#endif
