/* SPDX-License-Identifier: MIT
 *
 * Test hooks of the queue module, registered for vkGetDeviceProcAddr (device/vc4vk_test_hooks.h).
 */
#include "device/vc4vk_device.h"
#include "device/vc4vk_test_hooks.h"

static struct vc4vk_queue_device *queues_of(VkDevice device)
{
    return &vc4vk_device_from_handle(device)->queue_device;
}

/* Keeps the retire thread from storing timeline words until it is released. */
void vc4vk_test_hold_retire(VkDevice device, VkBool32 hold)
{
    vc4vk_queue_test_hold_retire(queues_of(device), hold);
}
VC4VK_TEST_HOOK(vc4vk_test_hold_retire)

/* Loses the device as a hang does. */
void vc4vk_test_lose_device(VkDevice device)
{
    kmd_device_set_lost(queues_of(device)->kmd);
}
VC4VK_TEST_HOOK(vc4vk_test_lose_device)

/* Jobs retired so far: native, lowered, run by the CPU engine. */
void vc4vk_test_job_counts(VkDevice device, uint64_t counts_out[3])
{
    struct vc4vk_job_counts counts = vc4vk_queue_test_job_counts(queues_of(device));
    counts_out[0] = counts.native;
    counts_out[1] = counts.lowered;
    counts_out[2] = counts.cpu;
}
VC4VK_TEST_HOOK(vc4vk_test_job_counts)

/* Called between binning and rendering of every job with the used part of tile allocation memory. Model only. */
VkResult vc4vk_test_set_bin_done_hook(VkDevice device,
                                      void (*hook)(void *data, uint8_t *tile_alloc, uint32_t size_B, uint32_t slots),
                                      void *data)
{
    return vc4vk_queue_test_set_bin_done_hook(queues_of(device), hook, data);
}
VC4VK_TEST_HOOK(vc4vk_test_set_bin_done_hook)
