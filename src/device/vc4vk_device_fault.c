/* SPDX-License-Identifier: MIT
 *
 * VK_EXT_device_fault: says which command made the device lost. There are no addresses and no binary to report: the
 * chip names neither the instruction nor the access that failed, and what accesses nothing is dropped without a fault.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "device/vc4vk_device.h"
#include "device/vc4vk_entrypoints_gen.h"

static const char *engine_name(enum vc4vk_engine_id engine)
{
    static const char *const names[VC4VK_ENGINE_COUNT] = {
        [VC4VK_ENGINE_CHIP] = "the chip",
        [VC4VK_ENGINE_CPU] = "the CPU engine",
        [VC4VK_ENGINE_COPY] = "the copy engine",
        [VC4VK_ENGINE_HOST] = "the host",
    };
    return engine < VC4VK_ENGINE_COUNT && names[engine] ? names[engine] : "no engine";
}

static const char *kind_name(enum vc4vk_fault_kind kind)
{
    static const char *const names[] = {
        [VC4VK_FAULT_NONE] = "nothing has failed",
        [VC4VK_FAULT_HANG] = "ran past its time limit",
        [VC4VK_FAULT_REFUSED] = "could not be submitted",
        [VC4VK_FAULT_FAILED] = "failed or ran past its time limit",
    };
    return names[kind];
}

static void describe(const struct vc4vk_fault *fault, bool is_lost, char out[VK_MAX_DESCRIPTION_SIZE])
{
    if (fault->kind == VC4VK_FAULT_NONE) {
        snprintf(out, VK_MAX_DESCRIPTION_SIZE, "%s",
                 is_lost ? "the device is lost, but no command of it has failed" : "the device is not lost");
        return;
    }
    /* The names are cut so that they all fit. */
    snprintf(out, VK_MAX_DESCRIPTION_SIZE, "%.40s of queue %" PRIu32 ".%" PRIu32 " on %s %s%s%.50s%s%.50s", fault->name,
             fault->family, fault->index, engine_name(fault->engine), kind_name(fault->kind),
             fault->command_buffer[0] ? "; command buffer " : "", fault->command_buffer,
             fault->label[0] ? "; label " : "", fault->label);
}

static void fill_vendor_info(const struct vc4vk_fault *fault, VkDeviceFaultVendorInfoEXT *out)
{
    snprintf(out->description, sizeof out->description,
             "%.100s: %s (code: how it failed, data: its number on the ring)", fault->name, kind_name(fault->kind));
    out->vendorFaultCode = fault->kind;
    out->vendorFaultData = fault->value;
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_GetDeviceFaultInfoEXT(VkDevice _device, VkDeviceFaultCountsEXT *pFaultCounts,
                                                           VkDeviceFaultInfoEXT *pFaultInfo)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, _device);
    const struct vc4vk_fault fault = vc4vk_scheduler_fault(&device->queue_device.scheduler);
    const uint32_t count = fault.kind != VC4VK_FAULT_NONE, capacity = pFaultCounts->vendorInfoCount;
    pFaultCounts->addressInfoCount = 0;
    pFaultCounts->vendorInfoCount = count;
    pFaultCounts->vendorBinarySize = 0;
    if (!pFaultInfo)
        return VK_SUCCESS;
    describe(&fault, kmd_device_is_lost(device->kmd), pFaultInfo->description);
    if (!pFaultInfo->pVendorInfos)
        return VK_SUCCESS;
    pFaultCounts->vendorInfoCount = MIN2(count, capacity);
    if (pFaultCounts->vendorInfoCount)
        fill_vendor_info(&fault, pFaultInfo->pVendorInfos);
    return pFaultCounts->vendorInfoCount < count ? VK_INCOMPLETE : VK_SUCCESS;
}
