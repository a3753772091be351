/* SPDX-License-Identifier: MIT
 *
 * VK_EXT_debug_utils when no trace is recorded: messengers receive the messages they subscribed to, names and labels
 * are accepted and ignored, and the functions are available only if the extension was enabled.
 */
#include <stdio.h>
#include <string.h>
#include "device/vc4vk_dispatch.h"
#include "harness.h"
#include "util/log.h"

static VKAPI_ATTR VkBool32 VKAPI_CALL count(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                            VkDebugUtilsMessageTypeFlagsEXT types,
                                            const VkDebugUtilsMessengerCallbackDataEXT *data, void *user_data)
{
    assert_string_equal(data->pMessage, "hello");
    ++*(int *)user_data;
    return VK_FALSE;
}

static VkDebugUtilsMessengerEXT messenger(VkInstance instance, VkDebugUtilsMessageSeverityFlagsEXT severities, int *got)
{
    const VkDebugUtilsMessengerCreateInfoEXT info = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity = severities,
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT,
        .pfnUserCallback = count,
        .pUserData = got,
    };
    VkDebugUtilsMessengerEXT made;
    assert_int_equal(vc4vk_CreateDebugUtilsMessengerEXT(instance, &info, NULL, &made), VK_SUCCESS);
    return made;
}

static void messengers_get_what_they_asked_for(void **state)
{
    const struct harness *h = *state;
    int errors = 0, all = 0;
    const VkDebugUtilsMessengerCallbackDataEXT data = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CALLBACK_DATA_EXT, .pMessage = "hello"};
    const VkDebugUtilsMessageSeverityFlagBitsEXT info = VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT,
                                                 error = VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
    VkDebugUtilsMessengerEXT a = messenger(h->instance, error, &errors), b = messenger(h->instance, error | info, &all);
    vc4vk_SubmitDebugUtilsMessageEXT(h->instance, error, VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT, &data);
    vc4vk_SubmitDebugUtilsMessageEXT(h->instance, info, VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT, &data);
    vc4vk_SubmitDebugUtilsMessageEXT(h->instance, error, VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT, &data);
    assert_int_equal(errors, 1);
    assert_int_equal(all, 2);
    vc4vk_DestroyDebugUtilsMessengerEXT(h->instance, a, NULL);
    vc4vk_DestroyDebugUtilsMessengerEXT(h->instance, VK_NULL_HANDLE, NULL);
    vc4vk_SubmitDebugUtilsMessageEXT(h->instance, error, VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT, &data);
    assert_int_equal(errors, 1);
    assert_int_equal(all, 3);
    vc4vk_DestroyDebugUtilsMessengerEXT(h->instance, b, NULL);
}

struct received {
    VkDebugUtilsMessageSeverityFlagsEXT severities;
    VkDebugUtilsMessageTypeFlagsEXT types;
    char text[200];
};

static VKAPI_ATTR VkBool32 VKAPI_CALL record_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                     VkDebugUtilsMessageTypeFlagsEXT types,
                                                     const VkDebugUtilsMessengerCallbackDataEXT *data, void *user_data)
{
    struct received *received = user_data;
    received->severities |= severity;
    received->types |= types;
    snprintf(received->text, sizeof received->text, "%s", data->pMessage);
    util_error("a message logged inside a callback is not delivered");
    return VK_FALSE;
}

/* Messengers receive the driver's errors and performance warnings. */
static void messengers_hear_the_driver(void **state)
{
    const struct harness *h = *state;
    struct received received = {0};
    VkDebugUtilsMessengerCreateInfoEXT info = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity =
            VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT,
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT,
        .pfnUserCallback = record_message,
        .pUserData = &received,
    };
    VkDebugUtilsMessengerEXT messenger;
    assert_false(util_log_wants_perf());
    assert_int_equal(vc4vk_CreateDebugUtilsMessengerEXT(h->instance, &info, NULL, &messenger), VK_SUCCESS);
    const VkQueryPoolCreateInfo refused = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                           .queryType = VK_QUERY_TYPE_PIPELINE_STATISTICS,
                                           .queryCount = 1};
    VkQueryPool pool;
    struct vc4vk_instance *instance = vc4vk_instance_from_handle(h->instance);
    const bool was_enabled = instance->enabled.EXT_debug_utils;
    instance->enabled.EXT_debug_utils = true;
    PFN_vkCreateQueryPool create = (PFN_vkCreateQueryPool)vc4vk_GetDeviceProcAddr(h->device, "vkCreateQueryPool");
    instance->enabled.EXT_debug_utils = was_enabled;
    assert_int_equal(create(h->device, &refused, NULL, &pool), VK_ERROR_FEATURE_NOT_PRESENT);
    assert_int_equal(received.severities, VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT);
    assert_int_equal(received.types, VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT);
    assert_non_null(strstr(received.text, "VK_ERROR_FEATURE_NOT_PRESENT"));
    struct util_log_call call;
    util_log_call_begin(&call, instance->log);
    util_info("no messenger subscribes to this");
    util_log_call_end(&call);
    assert_non_null(strstr(received.text, "VK_ERROR_FEATURE_NOT_PRESENT"));
    util_log_call_begin(&call, instance->log);
    util_perf("%d indices are rewritten", 3);
    util_log_call_end(&call);
    assert_true(received.severities & VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT);
    assert_true(received.types & VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT);
    assert_string_equal(received.text, "3 indices are rewritten");
    vc4vk_DestroyDebugUtilsMessengerEXT(h->instance, messenger, NULL);
    util_log_call_begin(&call, instance->log);
    util_error("the messenger is destroyed");
    util_log_call_end(&call);
    assert_string_equal(received.text, "3 indices are rewritten");
}

/* A messenger in the pNext chain of VkInstanceCreateInfo receives the error when instance creation fails, and no
 * messages after creation. */
static void an_instance_says_why_it_is_not_made(void **state)
{
    struct received received = {0};
    const VkDebugUtilsMessengerCreateInfoEXT messenger = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT,
        .pfnUserCallback = record_message,
        .pUserData = &received,
    };
    const char *extensions[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME, "VK_nobody_has_this"};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                 .pNext = &messenger,
                                 .enabledExtensionCount = 2,
                                 .ppEnabledExtensionNames = extensions};
    VkInstance instance;
    assert_int_equal(vc4vk_CreateInstance(&info, NULL, &instance), VK_ERROR_EXTENSION_NOT_PRESENT);
    assert_non_null(strstr(received.text, "VK_nobody_has_this"));
    received = (struct received){0};
    info.enabledExtensionCount = 1;
    assert_int_equal(vc4vk_CreateInstance(&info, NULL, &instance), VK_SUCCESS);
    struct util_log_call call;
    util_log_call_begin(&call, vc4vk_instance_from_handle(instance)->log);
    util_error("logged after instance creation");
    util_log_call_end(&call);
    vc4vk_DestroyInstance(instance, NULL);
    assert_string_equal(received.text, "");
}

static void names_are_accepted(void **state)
{
    const struct harness *h = *state;
    VkQueue queue;
    vc4vk_GetDeviceQueue(h->device, 0, 0, &queue);
    VkDebugUtilsObjectNameInfoEXT info = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
                                          .objectType = VK_OBJECT_TYPE_QUEUE,
                                          .objectHandle = (uintptr_t)queue,
                                          .pObjectName = "main"};
    assert_int_equal(vc4vk_SetDebugUtilsObjectNameEXT(h->device, &info), VK_SUCCESS);
    info.pObjectName = NULL;
    assert_int_equal(vc4vk_SetDebugUtilsObjectNameEXT(h->device, &info), VK_SUCCESS);
    const VkDebugUtilsLabelEXT label = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT, .pLabelName = "frame"};
    vc4vk_QueueBeginDebugUtilsLabelEXT(queue, &label);
    vc4vk_QueueInsertDebugUtilsLabelEXT(queue, &label);
    vc4vk_QueueEndDebugUtilsLabelEXT(queue);
    vc4vk_QueueEndDebugUtilsLabelEXT(queue);
}

static void functions_come_with_the_extension(void **state)
{
    const struct harness *h = *state;
    struct vc4vk_instance *instance = vc4vk_instance_from_handle(h->instance);
    static const char *const names[] = {"vkSetDebugUtilsObjectNameEXT", "vkQueueBeginDebugUtilsLabelEXT",
                                        "vkCmdInsertDebugUtilsLabelEXT"};
    const bool was_enabled = instance->enabled.EXT_debug_utils;
    for (int enabled = 0; enabled < 2; enabled++) {
        instance->enabled.EXT_debug_utils = enabled;
        for (uint32_t i = 0; i < ARRAY_SIZE(names); i++) {
            assert_int_equal(vc4vk_GetInstanceProcAddr(h->instance, names[i]) != NULL, enabled);
            assert_int_equal(vc4vk_GetDeviceProcAddr(h->device, names[i]) != NULL, enabled);
        }
    }
    instance->enabled.EXT_debug_utils = was_enabled;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messengers_get_what_they_asked_for),  cmocka_unit_test(messengers_hear_the_driver),
        cmocka_unit_test(an_instance_says_why_it_is_not_made), cmocka_unit_test(names_are_accepted),
        cmocka_unit_test(functions_come_with_the_extension),
    };
    return cmocka_run_group_tests_name("device_names", tests, harness_set_up, harness_tear_down);
}
