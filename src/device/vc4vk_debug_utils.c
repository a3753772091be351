/* SPDX-License-Identifier: MIT
 *
 * VK_EXT_debug_utils: object names, queue labels and messengers. Labels of command buffers are recorded elsewhere.
 * Names of queues and command buffers appear in VC4VK_TRACE, and those of command buffers in reports of device faults;
 * names of other objects are accepted and dropped.
 *
 * A messenger receives the driver's messages about its instance and that instance's devices. It also receives
 * performance messages, whether or not VC4VK_DEBUG=perf is set. The driver holds no lock while a callback runs
 * (util/log.h).
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
        ((struct vc4vk_recorded *)object)->name = vc4vk_name_keep(&device->queue_device, pNameInfo->pObjectName);
    return VK_SUCCESS;
}

/* Tags are meant for layers: the driver does not read them. */
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
    struct util_list link; /* in vc4vk_instance.messengers; used for creation messengers only */
    struct util_log_listener listener;
    const VkAllocationCallbacks *alloc;  /* NULL: the C library */
    VkAllocationCallbacks alloc_storage; /* a callback may outlive the call that destroys it */
    VkDebugUtilsMessageSeverityFlagsEXT severities;
    VkDebugUtilsMessageTypeFlagsEXT types;
    PFN_vkDebugUtilsMessengerCallbackEXT callback;
    void *user_data;
};

VC4VK_DEFINE_HANDLE(vc4vk_messenger, VkDebugUtilsMessengerEXT, VK_OBJECT_TYPE_DEBUG_UTILS_MESSENGER_EXT)

static void call_back(const struct vc4vk_messenger *messenger, VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                      VkDebugUtilsMessageTypeFlagsEXT types, const VkDebugUtilsMessengerCallbackDataEXT *data)
{
    if ((messenger->severities & severity) && (messenger->types & types))
        messenger->callback(severity, types, data, messenger->user_data);
}

/* Applications look for what shaders print among the messages of the validation layer, which prints as well. */
#define PRINT_TYPES (VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT)

/* util_log_listener.hear: forwards a driver message to the application's callback. */
static void forward_message(struct util_log_listener *listener, enum util_log_level level, const char *line)
{
    static const VkDebugUtilsMessageSeverityFlagBitsEXT severities[] = {
        [UTIL_LOG_ERROR] = VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
        [UTIL_LOG_WARN] = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT,
        [UTIL_LOG_PERF] = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT,
        [UTIL_LOG_IGNORED] = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT,
        [UTIL_LOG_INFO] = VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT,
        [UTIL_LOG_PRINT] = VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT};
    const VkDebugUtilsMessengerCallbackDataEXT data = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CALLBACK_DATA_EXT,
        .pMessageIdName = level == UTIL_LOG_PRINT ? "vc4vk-printf" : "vc4vk",
        .pMessage = line};
    call_back(container_of(listener, struct vc4vk_messenger, listener), severities[level],
              level == UTIL_LOG_PERF    ? VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT
              : level == UTIL_LOG_PRINT ? PRINT_TYPES
                                        : VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT,
              &data);
}

static void release(struct util_log_listener *listener)
{
    struct vc4vk_messenger *messenger = container_of(listener, struct vc4vk_messenger, listener);
    const VkAllocationCallbacks alloc = messenger->alloc_storage; /* copied: the original is inside the freed object */
    vc4vk_free(messenger->alloc ? &alloc : NULL, messenger);
}

static struct vc4vk_messenger *create_messenger(const VkDebugUtilsMessengerCreateInfoEXT *info,
                                                const VkAllocationCallbacks *alloc)
{
    struct vc4vk_messenger *messenger = vc4vk_new(alloc, struct vc4vk_messenger, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!messenger)
        return NULL;
    vc4vk_object_init(&messenger->base, VK_OBJECT_TYPE_DEBUG_UTILS_MESSENGER_EXT);
    util_list_init(&messenger->link);
    if (alloc) {
        messenger->alloc_storage = *alloc;
        messenger->alloc = &messenger->alloc_storage;
    }
    messenger->severities = info->messageSeverity;
    messenger->types = info->messageType;
    messenger->callback = info->pfnUserCallback;
    messenger->user_data = info->pUserData;
    messenger->listener.hear = forward_message;
    messenger->listener.release = release;
    messenger->listener.wants_perf = (messenger->types & VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT) &&
                                     (messenger->severities & VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT);
    messenger->listener.wants_prints =
        (messenger->types & PRINT_TYPES) && (messenger->severities & VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT);
    return messenger;
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_CreateDebugUtilsMessengerEXT(
    VkInstance _instance, const VkDebugUtilsMessengerCreateInfoEXT *pCreateInfo,
    const VkAllocationCallbacks *pAllocator, VkDebugUtilsMessengerEXT *pMessenger)
{
    VC4VK_FROM_HANDLE(vc4vk_instance, instance, _instance);
    struct vc4vk_messenger *messenger = create_messenger(pCreateInfo, vc4vk_alloc_choose(instance->alloc, pAllocator));
    *pMessenger = VK_NULL_HANDLE;
    if (!messenger)
        return vc4vk_oom(instance);
    util_log_listen(instance->log, &messenger->listener);
    *pMessenger = vc4vk_messenger_to_handle(messenger);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_DestroyDebugUtilsMessengerEXT(VkInstance _instance,
                                                               VkDebugUtilsMessengerEXT _messenger,
                                                               const VkAllocationCallbacks *pAllocator)
{
    VC4VK_FROM_HANDLE(vc4vk_instance, instance, _instance);
    VC4VK_FROM_HANDLE(vc4vk_messenger, messenger, _messenger);
    if (messenger)
        util_log_unlisten(instance->log, &messenger->listener);
}

struct submitted_message {
    VkDebugUtilsMessageSeverityFlagBitsEXT severity;
    VkDebugUtilsMessageTypeFlagsEXT types;
    const VkDebugUtilsMessengerCallbackDataEXT *data;
};

static void forward_submitted(struct util_log_listener *listener, void *data)
{
    const struct submitted_message *s = data;
    call_back(container_of(listener, struct vc4vk_messenger, listener), s->severity, s->types, s->data);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_SubmitDebugUtilsMessageEXT(VkInstance _instance,
                                                            VkDebugUtilsMessageSeverityFlagBitsEXT messageSeverity,
                                                            VkDebugUtilsMessageTypeFlagsEXT messageTypes,
                                                            const VkDebugUtilsMessengerCallbackDataEXT *pCallbackData)
{
    VC4VK_FROM_HANDLE(vc4vk_instance, instance, _instance);
    struct submitted_message submitted = {messageSeverity, messageTypes, pCallbackData};
    util_log_for_each_listener(instance->log, forward_submitted, &submitted);
}

/* -- VK_EXT_device_address_binding_report ------------------------------------------------------------------------- */

void vc4vk_report_address(struct vc4vk_device *device, VkObjectType type, uint64_t handle,
                          const struct vc4vk_address_range *range, VkDeviceAddressBindingTypeEXT binding)
{
    if (!device->reports_addresses || !range->address)
        return;
    const VkDeviceAddressBindingCallbackDataEXT report = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_ADDRESS_BINDING_CALLBACK_DATA_EXT,
        .baseAddress = range->address,
        .size = range->size_B,
        .bindingType = binding,
    };
    const VkDebugUtilsObjectNameInfoEXT object = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT, .objectType = type, .objectHandle = handle};
    const VkDebugUtilsMessengerCallbackDataEXT data = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CALLBACK_DATA_EXT,
        .pNext = &report,
        .pMessageIdName = "vc4vk-address",
        .pMessage = binding == VK_DEVICE_ADDRESS_BINDING_TYPE_BIND_EXT ? "the object has an address"
                                                                       : "the object's address is free",
        .objectCount = 1,
        .pObjects = &object,
    };
    struct submitted_message message = {VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT,
                                        VK_DEBUG_UTILS_MESSAGE_TYPE_DEVICE_ADDRESS_BINDING_BIT_EXT, &data};
    util_log_for_each_listener(device->physical->instance->log, forward_submitted, &message);
}

/* -- messengers for an instance's creation and destruction ----------------------------------------------------------
 */

static bool is_messenger(const VkBaseInStructure *s)
{
    return s->sType == VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
}

bool vc4vk_creation_messengers_init(struct vc4vk_instance *instance, const void *chain)
{
    uint32_t count = 0;
    util_list_init(&instance->messengers);
    for (const VkBaseInStructure *s = chain; s; s = s->pNext)
        count += is_messenger(s);
    if (!count)
        return true;
    instance->messenger_infos =
        vc4vk_alloc(instance->alloc, count * sizeof *instance->messenger_infos, VK_SYSTEM_ALLOCATION_SCOPE_INSTANCE);
    if (!instance->messenger_infos)
        return false;
    for (const VkBaseInStructure *s = chain; s; s = s->pNext)
        if (is_messenger(s))
            instance->messenger_infos[instance->messenger_info_count++] =
                *(const VkDebugUtilsMessengerCreateInfoEXT *)s;
    return true;
}

void vc4vk_creation_messengers_finish(struct vc4vk_instance *instance)
{
    vc4vk_free(instance->alloc, instance->messenger_infos);
}

/* A messenger that cannot be allocated is left out: it then receives no messages. */
void vc4vk_creation_messengers_begin(struct vc4vk_instance *instance, struct util_log_call *call)
{
    for (uint32_t i = 0; i < instance->messenger_info_count; i++) {
        struct vc4vk_messenger *messenger = create_messenger(&instance->messenger_infos[i], instance->alloc);
        if (!messenger)
            continue;
        util_list_add_tail(&instance->messengers, &messenger->link);
        util_log_listen(instance->log, &messenger->listener);
    }
    util_log_call_begin(call, instance->log);
}

void vc4vk_creation_messengers_end(struct vc4vk_instance *instance, struct util_log_call *call)
{
    util_log_call_end(call);
    util_list_for_each_safe(struct vc4vk_messenger, messenger, &instance->messengers, link)
        util_log_unlisten(instance->log, &messenger->listener);
    util_list_init(&instance->messengers);
}
