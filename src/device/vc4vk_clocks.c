/* SPDX-License-Identifier: MIT
 *
 * VK_KHR_calibrated_timestamps and the extension before it. Timestamps of queries are times of CLOCK_MONOTONIC, so the
 * device's clock is that one.
 */
#include "device/vc4vk_device.h"
#include "device/vc4vk_entrypoints_gen.h"
#include "util/thread.h"

#ifdef VK_KHR_calibrated_timestamps
#define vc4vk_GetPhysicalDeviceCalibrateableTimeDomainsEXT vc4vk_GetPhysicalDeviceCalibrateableTimeDomainsKHR
#define vc4vk_GetCalibratedTimestampsEXT                   vc4vk_GetCalibratedTimestampsKHR
#endif

static const VkTimeDomainEXT domains[] = {VK_TIME_DOMAIN_DEVICE_EXT, VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT,
                                          VK_TIME_DOMAIN_CLOCK_MONOTONIC_RAW_EXT};

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_GetPhysicalDeviceCalibrateableTimeDomainsEXT(VkPhysicalDevice physicalDevice,
                                                                                  uint32_t *pTimeDomainCount,
                                                                                  VkTimeDomainEXT *pTimeDomains)
{
    const uint32_t capacity = pTimeDomains ? *pTimeDomainCount : 0;
    *pTimeDomainCount = pTimeDomains ? MIN2(capacity, ARRAY_SIZE(domains)) : ARRAY_SIZE(domains);
    for (uint32_t i = 0; i < MIN2(capacity, ARRAY_SIZE(domains)); i++)
        pTimeDomains[i] = domains[i];
    return pTimeDomains && capacity < ARRAY_SIZE(domains) ? VK_INCOMPLETE : VK_SUCCESS;
}

static uint64_t now_ns(VkTimeDomainEXT domain)
{
    struct timespec ts;
    if (domain != VK_TIME_DOMAIN_CLOCK_MONOTONIC_RAW_EXT)
        return util_now_ns();
    clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
    return (uint64_t)ts.tv_sec * UINT64_C(1000000000) + (uint64_t)ts.tv_nsec;
}

static uint64_t resolution_ns(clockid_t clock)
{
    struct timespec ts;
    return clock_getres(clock, &ts) ? 1 : (uint64_t)ts.tv_sec * UINT64_C(1000000000) + (uint64_t)ts.tv_nsec;
}

/* The deviation is the time that reading all clocks took, and the coarser one's resolution. */
VKAPI_ATTR VkResult VKAPI_CALL vc4vk_GetCalibratedTimestampsEXT(VkDevice device, uint32_t timestampCount,
                                                                const VkCalibratedTimestampInfoEXT *pTimestampInfos,
                                                                uint64_t *pTimestamps, uint64_t *pMaxDeviation)
{
    const uint64_t begin_ns = util_now_ns();
    for (uint32_t i = 0; i < timestampCount; i++)
        pTimestamps[i] = now_ns(pTimestampInfos[i].timeDomain);
    *pMaxDeviation =
        util_now_ns() - begin_ns + MAX2(resolution_ns(CLOCK_MONOTONIC), resolution_ns(CLOCK_MONOTONIC_RAW));
    return VK_SUCCESS;
}
