/* SPDX-License-Identifier: MIT
 *
 * DebugPrintf of shaders (VK_KHR_shader_non_semantic_info), without a validation layer: messengers for information get
 * what invocations print. All messages of work that has finished are delivered when the messenger has been destroyed,
 * and none is delivered on a thread that somebody waits for.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "vkt.h"
#include "printf.comp.h"
#include "printf.frag.h"
#include "printf.vert.h"

#define SIZE_PX      8
#define GROUPS       2
#define LOCAL_SIZE   20
#define MAX_MESSAGES 30000
#define TEXT_B       96

struct listener {
    pthread_mutex_t *lock; /* taken by the callback; may be NULL */
    VkDebugUtilsMessengerEXT messenger;
    char (*texts)[TEXT_B];
    _Atomic uint32_t count, wrong;
};

static VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                 VkDebugUtilsMessageTypeFlagsEXT types,
                                                 const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
    struct listener *listener = user;
    if (strcmp(data->pMessageIdName, "vc4vk-printf"))
        return VK_FALSE; /* other information of the driver */
    if (listener->lock) {
        pthread_mutex_lock(listener->lock);
        pthread_mutex_unlock(listener->lock);
    }
    listener->wrong += severity != VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT ||
                       !(types & VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT);
    if (listener->count < MAX_MESSAGES)
        snprintf(listener->texts[listener->count], TEXT_B, "%s", data->pMessage);
    listener->count++;
    return VK_FALSE;
}

static struct vkt open_device(void)
{
    static const char *const instance_extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    static const char *const extension = VK_KHR_SHADER_NON_SEMANTIC_INFO_EXTENSION_NAME;
    const VkInstanceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .pApplicationInfo =
            &(VkApplicationInfo){.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_1},
        .enabledExtensionCount = 1,
        .ppEnabledExtensionNames = &instance_extension,
    };
    struct vkt t = {0};
    vkt_ok(vkCreateInstance(&info, NULL, &t.instance));
    return vkt_device_create_with(&t, &extension, 1);
}

static void close_device(struct vkt *t)
{
    vkt_device_close(t);
    vkDestroyInstance(t->instance, NULL);
}

static void listen(struct vkt *t, struct listener *listener, VkDebugUtilsMessageSeverityFlagsEXT severities)
{
    const VkDebugUtilsMessengerCreateInfoEXT info = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity = severities,
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
        .pfnUserCallback = on_message,
        .pUserData = listener,
    };
    PFN_vkCreateDebugUtilsMessengerEXT create =
        (PFN_vkCreateDebugUtilsMessengerEXT)vkGetInstanceProcAddr(t->instance, "vkCreateDebugUtilsMessengerEXT");
    listener->texts = calloc(MAX_MESSAGES, TEXT_B);
    vkt_ok(create(t->instance, &info, NULL, &listener->messenger));
}

/* Afterwards all messages have been delivered. */
static void stop_listening(struct vkt *t, struct listener *listener)
{
    PFN_vkDestroyDebugUtilsMessengerEXT destroy =
        (PFN_vkDestroyDebugUtilsMessengerEXT)vkGetInstanceProcAddr(t->instance, "vkDestroyDebugUtilsMessengerEXT");
    destroy(t->instance, listener->messenger, NULL);
    assert_int_equal(listener->wrong, 0);
}

static uint32_t count_of(const struct listener *listener, const char *text)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < listener->count && i < MAX_MESSAGES; i++)
        found += !strcmp(listener->texts[i], text);
    return found;
}

static void expect_once(const struct listener *listener, const char *text)
{
    if (count_of(listener, text) != 1)
        fail_msg("\"%s\" was printed %u times; the first of %u messages is \"%s\"", text, count_of(listener, text),
                 listener->count, listener->texts[0]);
}

/* ---------------------------------------------------------------- compute */

static struct vkt_compute make_compute(struct vkt *t)
{
    return vkt_compute_create_simple(t, VKT_SHADER(printf_comp), 1, sizeof(uint32_t), NULL);
}

static void dispatch(struct vkt *t, const struct vkt_compute *compute, uint32_t groups, uint32_t rounds)
{
    struct vkt_buffer buffer = vkt_storage_buffer(t, 1, 0);
    VkDescriptorSet set = vkt_compute_set(t, compute, &buffer, 1);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_compute_bind(cmd, compute, &set);
    vkCmdPushConstants(cmd, compute->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof rounds, &rounds);
    vkCmdDispatch(cmd, groups, 1, 1);
    vkt_end_submit(t, cmd);
    vkt_buffer_destroy(t, &buffer);
}

static void a_dispatch_prints(void **state)
{
    struct vkt t = open_device();
    struct listener listener = {0};
    listen(&t, &listener, VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT);
    struct vkt_compute compute = make_compute(&t);
    dispatch(&t, &compute, GROUPS, 0);
    stop_listening(&t, &listener);
    for (uint32_t group = 0; group < GROUPS; group++) {
        for (uint32_t i = 1; i < LOCAL_SIZE; i += 2) {
            char text[TEXT_B];
            snprintf(text, sizeof text, "%u of %02u: %u.0, 0.5, -1.0, -%u, %s", i, group, i, i, i > 9 ? "abcd" : "7");
            expect_once(&listener, text);
        }
    }
    assert_int_equal(listener.count, GROUPS * LOCAL_SIZE / 2);
    free(listener.texts);
    vkt_compute_destroy(&t, &compute);
    close_device(&t);
}

/* Pipelines print if a messenger for information exists when they are created. */
static void nothing_prints_without_a_messenger(void **state)
{
    struct vkt t = open_device();
    struct listener warnings = {0}, listener = {0};
    listen(&t, &warnings, VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT);
    struct vkt_compute compute = make_compute(&t);
    listen(&t, &listener, VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT);
    dispatch(&t, &compute, GROUPS, 3);
    stop_listening(&t, &warnings);
    stop_listening(&t, &listener);
    assert_int_equal(warnings.count, 0);
    assert_int_equal(listener.count, 0);
    free(warnings.texts);
    free(listener.texts);
    vkt_compute_destroy(&t, &compute);
    close_device(&t);
}

/* Messages beyond what a job can hold are lost, and a message says so. The next job prints again. */
static void too_many_messages(void **state)
{
    struct vkt t = open_device();
    struct listener listener = {0};
    listen(&t, &listener, VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT);
    struct vkt_compute compute = make_compute(&t);
    dispatch(&t, &compute, 1, 2000);
    dispatch(&t, &compute, 1, 1);
    stop_listening(&t, &listener);
    uint32_t lost = 0;
    for (uint32_t i = 0; i < listener.count; i++)
        lost += strstr(listener.texts[i], "further messages are lost") != NULL;
    assert_int_equal(lost, 1);
    assert_in_range(count_of(&listener, "round"), 10000, 2000 * LOCAL_SIZE - 1);
    assert_int_equal(count_of(&listener, "19 of 00: 19.0, 0.5, -1.0, -19, abcd"), 2);
    free(listener.texts);
    vkt_compute_destroy(&t, &compute);
    close_device(&t);
}

/* The callback waits for a lock of a thread that waits for the work. */
static void work_is_done_while_a_callback_waits(void **state)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct vkt t = open_device();
    struct listener listener = {.lock = &lock};
    listen(&t, &listener, VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT);
    struct vkt_compute compute = make_compute(&t);
    pthread_mutex_lock(&lock);
    dispatch(&t, &compute, 1, 1);
    dispatch(&t, &compute, 1, 1);
    pthread_mutex_unlock(&lock);
    stop_listening(&t, &listener);
    assert_int_equal(listener.count, 2 * (LOCAL_SIZE + LOCAL_SIZE / 2));
    free(listener.texts);
    vkt_compute_destroy(&t, &compute);
    close_device(&t);
}

/* ---------------------------------------------------------------- graphics */

/* Every vertex and every fragment that is not discarded prints once. */
static void a_draw_prints(void **state)
{
    struct vkt t = open_device();
    struct listener listener = {0};
    uint32_t pixels = 0;
    listen(&t, &listener, VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT);
    struct vkt_picture picture = vkt_draw_triangle(&t, VKT_SHADER(printf_vert), VKT_SHADER(printf_frag), SIZE_PX);
    stop_listening(&t, &listener);
    for (uint32_t i = 0; i < 3; i++) {
        char text[TEXT_B];
        snprintf(text, sizeof text, "vertex %u", i);
        expect_once(&listener, text);
    }
    for (uint32_t y = 0; y < SIZE_PX; y++) {
        for (uint32_t x = 0; x < SIZE_PX; x++) {
            char text[TEXT_B];
            snprintf(text, sizeof text, "pixel %u, %u", x, y);
            assert_int_equal(count_of(&listener, text), x >= y);
            assert_int_equal(picture.rgba[4 * (y * SIZE_PX + x) + 1], x >= y ? 255 : 0);
            pixels += x >= y;
        }
    }
    assert_int_equal(listener.count, 3 + pixels);
    vkt_picture_free(&picture);
    free(listener.texts);
    close_device(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dispatch_prints), cmocka_unit_test(nothing_prints_without_a_messenger),
        cmocka_unit_test(too_many_messages), cmocka_unit_test(work_is_done_while_a_callback_waits),
        cmocka_unit_test(a_draw_prints),
    };
    const char *icd = getenv("VKT_TESTED_ICD");
    if (icd)
        setenv("VK_ICD_FILENAMES", icd, 1);
    vkt_request_version(VK_API_VERSION_1_1);
    return cmocka_run_group_tests_name("api_printf", tests, NULL, NULL);
}
