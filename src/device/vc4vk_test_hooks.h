/* SPDX-License-Identifier: MIT
 *
 * Test hooks: functions that tests of the whole driver get from vkGetDeviceProcAddr when VC4VK_DEBUG contains the word
 * test-hooks. vc4vk_test_lose_device is looked up as "vk_test_lose_device": newer loaders pass on only names that begin
 * with "vk". Hooks are declared here for the tests; each module registers its own.
 */
#ifndef DEVICE_VC4VK_TEST_HOOKS_H
#define DEVICE_VC4VK_TEST_HOOKS_H

#include <vulkan/vulkan.h>
#include "util/macros.h"

/* Called by static constructors (VC4VK_TEST_HOOK); the table is read-only afterwards. */
void vc4vk_test_hook_register(const char *name, PFN_vkVoidFunction function);

/* Looks up the name given to vkGetDeviceProcAddr. NULL when there is no such hook or hooks are disabled. */
PFN_vkVoidFunction vc4vk_test_hook_lookup(const char *name);

void vc4vk_test_hold_retire(VkDevice device, VkBool32 hold);
void vc4vk_test_lose_device(VkDevice device);
void vc4vk_test_job_counts(VkDevice device, uint64_t counts_out[3]);
VkResult vc4vk_test_set_bin_done_hook(VkDevice device,
                                      void (*hook)(void *data, uint8_t *tile_alloc, uint32_t size_B, uint32_t slots),
                                      void *data);

/* At file scope: VC4VK_TEST_HOOK(vc4vk_test_hold_retire) makes that function reachable. */
#define VC4VK_TEST_HOOK(function)                                                                                      \
    __attribute__((constructor)) static void function##_register(void)                                                 \
    {                                                                                                                  \
        vc4vk_test_hook_register(#function, (PFN_vkVoidFunction)(function));                                           \
    }

#endif
