/* SPDX-License-Identifier: MIT
 *
 * The descriptor module's per-device state: the state pool, kept in the device's opaque slot.
 */
#include "descriptor/vc4vk_binding_table.h"
#include "device/vc4vk_device.h"

static VkResult create(struct vc4vk_device *device, void **out)
{
    struct vc4vk_state_pool *pool =
        vc4vk_new(VC4VK_ALLOC_INTERNAL, struct vc4vk_state_pool, VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
    if (!pool)
        return vc4vk_oom(device);
    VkResult result =
        vc4vk_state_pool_init(pool, sizeof(void *) == 8 ? VC4VK_POOL_RESERVE_64BIT_B : VC4VK_POOL_RESERVE_32BIT_B);
    if (result != VK_SUCCESS) {
        vc4vk_free(VC4VK_ALLOC_INTERNAL, pool);
        return result;
    }
    *out = pool;
    return VK_SUCCESS;
}

static void destroy(struct vc4vk_device *device, void *state)
{
    vc4vk_state_pool_finish(state);
    vc4vk_free(VC4VK_ALLOC_INTERNAL, state);
}

VkResult vc4vk_device_state_pool(struct vc4vk_device *device, struct vc4vk_state_pool **out)
{
    static const struct vc4vk_slot_ops ops = {create, destroy};
    void *state = NULL;
    VkResult result = vc4vk_device_slot(device, VC4VK_SLOT_DESCRIPTOR, &ops, &state);
    *out = state;
    return result;
}
