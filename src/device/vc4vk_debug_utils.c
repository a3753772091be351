/* SPDX-License-Identifier: MIT
 *
 * VK_EXT_debug_utils but for the labels of command buffers: names, labels of queues, messengers. Names of queues and
 * command buffers appear in VC4VK_TRACE; those of other objects are accepted and not kept.
 *
 * A messenger hears what the driver says on stderr, and what costs time, whether or not VC4VK_DEBUG=perf is given.
 * Messages know no instance: each messenger of the process hears all of them.
 */
#include "device/vc4vk_device.h"
#include "device/vc4vk_entrypoints_gen.h"
#include "queue/vc4vk_label.h"
#include "util/log.h"

/* -- names -------------------------------------------------------------------------------------------------------- */

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_SetDebugUtilsObjectNameEXT(VkDevice _device,
                                                                const VkDebugUtilsObjectNameInfoEXT *pNameInfo)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, _device);
    void *object = (void *)(uintptr_t)pNameInfo->objectHandle;
    if (pNameInfo->objectType == VK_OBJECT_TYPE_QUEUE)
        vc4vk_queue_set_name(object, pNameInfo->pObjectName);
    else if (pNameInfo->objectType == VK_OBJECT_TYPE_COMMAND_BUFFER)
        ((struct vc4vk_recorded *)object)->name = vc4vk_label_keep(&device->queue_device, pNameInfo->pObjectName);
    return VK_SUCCESS;
}

/* Tags are for layers: nothing of the driver reads them. */
VKAPI_ATTR VkResult VKAPI_CALL vc4vk_SetDebugUtilsObjectTagEXT(VkDevice device,
                                                               const VkDebugUtilsObjectTagInfoEXT *pTagInfo)
{
    return VK_SUCCESS;
}

/* -- labels of queues --------------------------------------------------------------------------------------------- */

VKAPI_ATTR void VKAPI_CALL vc4vk_QueueBeginDebugUtilsLabelEXT(VkQueue queue, const VkDebugUtilsLabelEXT *pLabelInfo)
{
    vc4vk_queue_begin_label(vc4vk_queue_from_handle(queue), pLabelInfo->pLabelName);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_QueueEndDebugUtilsLabelEXT(VkQueue queue)
{
    vc4vk_queue_end_label(vc4vk_queue_from_handle(queue));
}

VKAPI_ATTR void VKAPI_CALL vc4vk_QueueInsertDebugUtilsLabelEXT(VkQueue queue, const VkDebugUtilsLabelEXT *pLabelInfo)
{
    vc4vk_queue_insert_label(vc4vk_queue_from_handle(queue), pLabelInfo->pLabelName);
}

/* -- messengers --------------------------------------------------------------------------------------------------- */

struct vc4vk_messenger {
    struct vc4vk_object base;
    struct util_list link; /* in the instance's, under its messenger_lock */
    struct util_log_listener listener;
    VkDebugUtilsMessageSeverityFlagsEXT severities;
    VkDebugUtilsMessageTypeFlagsEXT types;
    PFN_vkDebugUtilsMessengerCallbackEXT callback;
    void *user_data;
};

VC4VK_DEFINE_HANDLE(vc4vk_messenger, VkDebugUtilsMessengerEXT, VK_OBJECT_TYPE_DEBUG_UTILS_MESSENGER_EXT)

static void tell(const struct vc4vk_messenger *messenger, VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                 VkDebugUtilsMessageTypeFlagsEXT types, const VkDebugUtilsMessengerCallbackDataEXT *data)
{
    if ((messenger->severities & severity) && (messenger->types & types))
        messenger->callback(severity, types, data, messenger->user_data);
}

/* The driver has said something. */
static void hear(struct util_log_listener *listener, enum util_log_level level, const char *line)
{
    static const VkDebugUtilsMessageSeverityFlagBitsEXT severities[] = {
        [UTIL_LOG_ERROR] = VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
        [UTIL_LOG_WARN] = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT,
        [UTIL_LOG_PERF] = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT,
        [UTIL_LOG_INFO] = VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT};
    const VkDebugUtilsMessengerCallbackDataEXT data = {.sType =
                                                           VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CALLBACK_DATA_EXT,
                                                       .pMessageIdName = "vc4vk",
                                                       .pMessage = line};
    tell(container_of(listener, struct vc4vk_messenger, listener), severities[level],
         level == UTIL_LOG_PERF ? VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT
                                : VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT,
         &data);
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_CreateDebugUtilsMessengerEXT(
    VkInstance _instance, const VkDebugUtilsMessengerCreateInfoEXT *pCreateInfo,
    const VkAllocationCallbacks *pAllocator, VkDebugUtilsMessengerEXT *pMessenger)
{
    VC4VK_FROM_HANDLE(vc4vk_instance, instance, _instance);
    struct vc4vk_messenger *messenger = vc4vk_new(vc4vk_alloc_choose(instance->alloc, pAllocator),
                                                  struct vc4vk_messenger, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    *pMessenger = VK_NULL_HANDLE;
    if (!messenger)
        return vc4vk_oom(instance);
    vc4vk_object_init(&messenger->base, VK_OBJECT_TYPE_DEBUG_UTILS_MESSENGER_EXT);
    messenger->severities = pCreateInfo->messageSeverity;
    messenger->types = pCreateInfo->messageType;
    messenger->callback = pCreateInfo->pfnUserCallback;
    messenger->user_data = pCreateInfo->pUserData;
    messenger->listener.hear = hear;
    messenger->listener.wants_perf =
        (messenger->types & VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT) &&
        (messenger->severities & VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT);
    util_log_listen(&messenger->listener);
    pthread_mutex_lock(&instance->messenger_lock);
    util_list_add_tail(&instance->messengers, &messenger->link);
    pthread_mutex_unlock(&instance->messenger_lock);
    *pMessenger = vc4vk_messenger_to_handle(messenger);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_DestroyDebugUtilsMessengerEXT(VkInstance _instance,
                                                               VkDebugUtilsMessengerEXT _messenger,
                                                               const VkAllocationCallbacks *pAllocator)
{
    VC4VK_FROM_HANDLE(vc4vk_instance, instance, _instance);
    VC4VK_FROM_HANDLE(vc4vk_messenger, messenger, _messenger);
    if (!messenger)
        return;
    util_log_unlisten(&messenger->listener);
    pthread_mutex_lock(&instance->messenger_lock);
    util_list_del(&messenger->link);
    pthread_mutex_unlock(&instance->messenger_lock);
    vc4vk_free(vc4vk_alloc_choose(instance->alloc, pAllocator), messenger);
}

void vc4vk_messengers_finish(struct vc4vk_instance *instance)
{
    util_list_for_each (struct vc4vk_messenger, messenger, &instance->messengers, link)
        util_log_unlisten(&messenger->listener);
}

/* ORDER: callbacks call no Vulkan function, so they may run under the lock. */
VKAPI_ATTR void VKAPI_CALL vc4vk_SubmitDebugUtilsMessageEXT(VkInstance _instance,
                                                            VkDebugUtilsMessageSeverityFlagBitsEXT messageSeverity,
                                                            VkDebugUtilsMessageTypeFlagsEXT messageTypes,
                                                            const VkDebugUtilsMessengerCallbackDataEXT *pCallbackData)
{
    VC4VK_FROM_HANDLE(vc4vk_instance, instance, _instance);
    pthread_mutex_lock(&instance->messenger_lock);
    util_list_for_each (struct vc4vk_messenger, messenger, &instance->messengers, link)
        tell(messenger, messageSeverity, messageTypes, pCallbackData);
    pthread_mutex_unlock(&instance->messenger_lock);
}
