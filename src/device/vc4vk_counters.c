/* SPDX-License-Identifier: MIT
 *
 * VK_KHR_performance_query: enumerates the counters and computes how many passes a selection needs. The chip has 30
 * event sources; a performance monitor counts up to 16 of them at a time [guide table 82, kernel vc4_perfmon.c]. The
 * model counts only events that need neither a clock nor a cache. queue/vc4vk_performance.h implements the queries.
 *
 * Each job has its own monitor, so jobs of other queries or processes do not disturb the counters and the profiling
 * lock has nothing to exclude.
 */
#include <stdio.h>
#include <string.h>
#include "device/vc4vk_counters.h"
#include "device/vc4vk_entrypoints_gen.h"
#include "queue/vc4vk_performance.h"

#define EVENT_UUID "vc4 counter "

static const struct event {
    const char *category, *name, *description;
    bool counts_cycles;
} events[KMD_EVENTS] = {
    /* clang-format off */
    {"rasteriser", "Primitives without pixels",
     "Primitives that cover no pixel of a tile, counted in every tile that lists them", false},
    {"rasteriser", "Primitives", "Primitives, counted in every tile that lists them", false},
    {"rasteriser", "Quads clipped", "Blocks of 2 x 2 pixels that early depth tests discard", false},
    {"rasteriser", "Quads", "Blocks of 2 x 2 pixels that primitives cover at least partly", false},
    {"tile buffer", "Quads failing stencil",
     "Blocks of 2 x 2 pixels of draws with tests where no pixel passes the stencil test", false},
    {"tile buffer", "Quads failing depth and stencil",
     "Blocks of 2 x 2 pixels of draws with tests where no pixel passes", false},
    {"tile buffer", "Quads passing depth and stencil",
     "Blocks of 2 x 2 pixels of draws with tests where some pixels pass", false},
    {"tile buffer", "Quads without coverage", "Blocks of 2 x 2 pixels that cover no sample", false},
    {"tile buffer", "Quads with coverage", "Blocks of 2 x 2 pixels that cover a sample", false},
    {"tile buffer", "Quads written", "Blocks of 2 x 2 pixels that are written to the colour buffer", false},
    {"binner", "Primitives outside", "Primitives outside of the viewport, which are dropped", false},
    {"binner", "Primitives to clip", "Primitives that must be clipped", false},
    {"binner", "Primitives culled", "Primitives that are dropped by front- or back-face culling", false},
    {"processors", "Idle cycles", "Cycles of all processors without a program", true},
    {"processors", "Vertex cycles", "Cycles of all processors in vertex and coordinate programs", true},
    {"processors", "Fragment cycles", "Cycles of all processors in fragment programs", true},
    {"processors", "Instruction cycles", "Cycles of all processors in which an instruction was executed", true},
    {"processors", "Cycles waiting for textures", "Cycles of all processors waiting for texture units", true},
    {"processors", "Cycles waiting for the scoreboard",
     "Cycles of all processors waiting until their pixels are free", true},
    {"processors", "Cycles waiting for varyings", "Cycles of all processors waiting for varyings", true},
    {"caches", "Instruction cache hits", "Hits of the processors' instruction caches", false},
    {"caches", "Instruction cache misses", "Misses of the processors' instruction caches", false},
    {"caches", "Uniform cache hits", "Hits of the processors' uniform caches", false},
    {"caches", "Uniform cache misses", "Misses of the processors' uniform caches", false},
    {"texture units", "Texture quads", "Groups of four lookups that the texture units have answered", false},
    {"texture units", "Texture cache misses", "Misses of the texture units' caches", false},
    {"vertex memory", "Cycles of stalled writes", "Cycles in which writing from the vertex memory waits", true},
    {"vertex memory", "Cycles of stalled loads", "Cycles in which loading into the vertex memory waits", true},
    {"caches", "L2 hits", "Hits of the second level cache", false},
    {"caches", "L2 misses", "Misses of the second level cache", false},
    /* clang-format on */
};

/* -- enumeration -------------------------------------------------------------------------------------------------- */

/* Lists the events that the device counts, in ascending order. Only queues of family 0 submit jobs to the chip, so
 * other families have none. */
static uint32_t list_events(const struct vc4vk_physical_device *physical, uint32_t family, uint8_t out[KMD_EVENTS])
{
    const uint32_t counted = family == 0 ? kmd_counted_events(&physical->kmd.info) : 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < KMD_EVENTS; i++)
        if (counted & BIT(i))
            out[count++] = (uint8_t)i;
    return count;
}

uint32_t vc4vk_counter_events(const struct vc4vk_physical_device *physical,
                              const VkQueryPoolPerformanceCreateInfoKHR *info, uint8_t events_out[KMD_EVENTS])
{
    uint8_t all[KMD_EVENTS];
    const uint32_t all_count = list_events(physical, info->queueFamilyIndex, all);
    uint32_t count = 0;
    for (uint32_t i = 0; i < info->counterIndexCount && count < KMD_EVENTS; i++)
        if (info->pCounterIndices[i] < all_count)
            events_out[count++] = all[info->pCounterIndices[i]];
    return count;
}

/* Counters and descriptions are output structs: sType and pNext belong to the application and stay unchanged. */
static void fill_counter(uint32_t number, VkPerformanceCounterKHR *out)
{
    char uuid[VK_UUID_SIZE + 1];
    out->unit =
        events[number].counts_cycles ? VK_PERFORMANCE_COUNTER_UNIT_CYCLES_KHR : VK_PERFORMANCE_COUNTER_UNIT_GENERIC_KHR;
    out->scope = VK_PERFORMANCE_COUNTER_SCOPE_COMMAND_KHR;
    out->storage = VK_PERFORMANCE_COUNTER_STORAGE_UINT64_KHR;
    snprintf(uuid, sizeof uuid, EVENT_UUID "%04x", number & 0xffff);
    memcpy(out->uuid, uuid, VK_UUID_SIZE);
}

static void fill_description(uint32_t number, VkPerformanceCounterDescriptionKHR *out)
{
    out->flags = VK_PERFORMANCE_COUNTER_DESCRIPTION_PERFORMANCE_IMPACTING_BIT_KHR; /* counted jobs do not overlap */
    snprintf(out->name, sizeof out->name, "%s", events[number].name);
    snprintf(out->category, sizeof out->category, "%s", events[number].category);
    snprintf(out->description, sizeof out->description, "%s", events[number].description);
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_EnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR(
    VkPhysicalDevice _physical, uint32_t queueFamilyIndex, uint32_t *pCounterCount, VkPerformanceCounterKHR *pCounters,
    VkPerformanceCounterDescriptionKHR *pCounterDescriptions)
{
    VC4VK_FROM_HANDLE(vc4vk_physical_device, physical, _physical);
    uint8_t numbers[KMD_EVENTS];
    const uint32_t all = list_events(physical, queueFamilyIndex, numbers);
    const uint32_t count = pCounters || pCounterDescriptions ? MIN2(*pCounterCount, all) : all;
    for (uint32_t i = 0; i < count && pCounters; i++)
        fill_counter(numbers[i], &pCounters[i]);
    for (uint32_t i = 0; i < count && pCounterDescriptions; i++)
        fill_description(numbers[i], &pCounterDescriptions[i]);
    *pCounterCount = count;
    return count < all ? VK_INCOMPLETE : VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_GetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR(
    VkPhysicalDevice physicalDevice, const VkQueryPoolPerformanceCreateInfoKHR *pPerformanceQueryCreateInfo,
    uint32_t *pNumPasses)
{
    *pNumPasses = vc4vk_performance_pass_count(pPerformanceQueryCreateInfo->counterIndexCount);
}

/* -- the profiling lock ------------------------------------------------------------------------------------------- */

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_AcquireProfilingLockKHR(VkDevice device,
                                                             const VkAcquireProfilingLockInfoKHR *pInfo)
{
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_ReleaseProfilingLockKHR(VkDevice device)
{
}
