/* SPDX-License-Identifier: MIT
 *
 * Queries are not supported yet: recording one is an error that vkEndCommandBuffer reports.
 */
#include "cmdbuf/vc4vk_cmd_buffer.h"
#include "device/vc4vk_entrypoints_gen.h"

static void refuse(VkCommandBuffer cmd_h)
{
    vc4vk_cmd_failf(vc4vk_cmd_buffer_from_handle(cmd_h), VK_ERROR_FEATURE_NOT_PRESENT, "queries are not supported yet");
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdBeginQuery(VkCommandBuffer cmd, VkQueryPool pool, uint32_t query,
                                               VkQueryControlFlags flags)
{
    refuse(cmd);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdEndQuery(VkCommandBuffer cmd, VkQueryPool pool, uint32_t query)
{
    refuse(cmd);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdResetQueryPool(VkCommandBuffer cmd, VkQueryPool pool, uint32_t first,
                                                   uint32_t count)
{
    refuse(cmd);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdWriteTimestamp(VkCommandBuffer cmd, VkPipelineStageFlagBits stage, VkQueryPool pool,
                                                   uint32_t query)
{
    refuse(cmd);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdCopyQueryPoolResults(VkCommandBuffer cmd, VkQueryPool pool, uint32_t first,
                                                         uint32_t count, VkBuffer to, VkDeviceSize offset_B,
                                                         VkDeviceSize stride_B, VkQueryResultFlags flags)
{
    refuse(cmd);
}
