/* SPDX-License-Identifier: MIT
 *
 * VC4VK_TRACE as an application sees it: names and labels of VK_EXT_debug_utils, times in order, presents. The file has
 * one event per line, so the test searches lines instead of parsing JSON.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "slow.comp.h"
#include "vkt.h"

static char path[] = "/tmp/vc4vk-trace-XXXXXX";

/* -- the file ----------------------------------------------------------------------------------------------------- */

struct lines {
    char *text;
    uint32_t count;
    char *line[4096];
};

static struct lines lines;

static void read_trace(void)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    free(lines.text);
    lines = (struct lines){.text = calloc(1, 4 << 20)};
    assert_non_null(lines.text);
    assert_in_range(fread(lines.text, 1, (4 << 20) - 1, file), 1, (4 << 20) - 2);
    fclose(file);
    for (char *at = strtok(lines.text, "\n"); at; at = strtok(NULL, "\n")) {
        assert_true(lines.count < VKT_COUNT(lines.line));
        lines.line[lines.count++] = at;
    }
    assert_string_equal(lines.line[0], "[");
    assert_string_equal(lines.line[lines.count - 1], "]");
}

/* Counts the lines that contain all three texts. */
static uint32_t count_lines(const char *a, const char *b, const char *c)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < lines.count; i++)
        count += strstr(lines.line[i], a) && strstr(lines.line[i], b) && strstr(lines.line[i], c);
    return count;
}

static uint64_t number(const char *line, const char *key)
{
    char quoted[32];
    snprintf(quoted, sizeof quoted, "\"%s\": ", key);
    const char *at = strstr(line, quoted);
    assert_non_null(at);
    return strtoull(at + strlen(quoted), NULL, 10);
}

/* Checks the order of all times; returns the number of items that were executed. */
static uint32_t check_times(void)
{
    uint32_t worked = 0;
    for (uint32_t i = 0; i < lines.count; i++) {
        const char *line = lines.line[i];
        if (!strstr(line, "\"queued_ns\""))
            continue;
        const uint64_t queued = number(line, "queued_ns"), submitted = number(line, "submitted_ns"),
                       started = number(line, "started_ns"), finished = number(line, "finished_ns"),
                       retired = number(line, "retired_ns");
        assert_true(queued && queued <= submitted && submitted <= retired);
        if (!started)
            continue;
        assert_true(submitted <= started && started <= finished && finished <= retired);
        worked++;
    }
    return worked;
}

/* -- names -------------------------------------------------------------------------------------------------------- */

static PFN_vkSetDebugUtilsObjectNameEXT set_name;
static PFN_vkQueueBeginDebugUtilsLabelEXT queue_begin;
static PFN_vkQueueEndDebugUtilsLabelEXT queue_end;
static PFN_vkQueueInsertDebugUtilsLabelEXT queue_insert;
static PFN_vkCmdBeginDebugUtilsLabelEXT cmd_begin;
static PFN_vkCmdEndDebugUtilsLabelEXT cmd_end;
static PFN_vkCmdInsertDebugUtilsLabelEXT cmd_insert;

static void get_functions(VkDevice device)
{
    set_name = (PFN_vkSetDebugUtilsObjectNameEXT)vkGetDeviceProcAddr(device, "vkSetDebugUtilsObjectNameEXT");
    queue_begin = (PFN_vkQueueBeginDebugUtilsLabelEXT)vkGetDeviceProcAddr(device, "vkQueueBeginDebugUtilsLabelEXT");
    queue_end = (PFN_vkQueueEndDebugUtilsLabelEXT)vkGetDeviceProcAddr(device, "vkQueueEndDebugUtilsLabelEXT");
    queue_insert = (PFN_vkQueueInsertDebugUtilsLabelEXT)vkGetDeviceProcAddr(device, "vkQueueInsertDebugUtilsLabelEXT");
    cmd_begin = (PFN_vkCmdBeginDebugUtilsLabelEXT)vkGetDeviceProcAddr(device, "vkCmdBeginDebugUtilsLabelEXT");
    cmd_end = (PFN_vkCmdEndDebugUtilsLabelEXT)vkGetDeviceProcAddr(device, "vkCmdEndDebugUtilsLabelEXT");
    cmd_insert = (PFN_vkCmdInsertDebugUtilsLabelEXT)vkGetDeviceProcAddr(device, "vkCmdInsertDebugUtilsLabelEXT");
    assert_true(set_name && queue_begin && queue_end && queue_insert && cmd_begin && cmd_end && cmd_insert);
}

static VkDebugUtilsLabelEXT label(const char *text)
{
    return (VkDebugUtilsLabelEXT){.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT, .pLabelName = text};
}

/* Overwrites the text before it returns: the driver must have copied it. */
static void name_object(VkDevice device, VkObjectType type, void *handle, const char *text)
{
    char own[512];
    snprintf(own, sizeof own, "%s", text);
    const VkDebugUtilsObjectNameInfoEXT info = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
        .objectType = type,
        .objectHandle = (uint64_t)(uintptr_t)handle,
        .pObjectName = own,
    };
    vkt_ok(set_name(device, &info));
    memset(own, 'x', sizeof own - 1);
}

static VkCommandBuffer record(struct vkt *t, const struct vkt_target *target, const struct vkt_buffer *buffer)
{
    VkCommandBuffer cmd = vkt_begin(t);
    name_object(t->device, VK_OBJECT_TYPE_COMMAND_BUFFER, cmd, "frame \"1\"");
    const VkDebugUtilsLabelEXT world = label("world"), sky = label("sky"), half = label("half way");
    cmd_begin(cmd, &world);
    cmd_begin(cmd, &sky);
    vkt_begin_pass(cmd, target, (const float[]){1, 0, 0, 1}, 1, 0);
    vkCmdEndRenderPass(cmd);
    cmd_end(cmd);
    cmd_insert(cmd, &half);
    vkCmdFillBuffer(cmd, buffer->buffer, 0, VK_WHOLE_SIZE, 7);
    cmd_end(cmd);
    return cmd;
}

static void names_and_labels_are_in_the_trace(void **state)
{
    struct vkt t = vkt_device_create(vkt_device(VKT_TESTED));
    get_functions(t.device);
    name_object(t.device, VK_OBJECT_TYPE_QUEUE, t.queue, "main queue");
    name_object(t.device, VK_OBJECT_TYPE_COMMAND_POOL, (void *)(uintptr_t)t.pool, "a pool");
    struct vkt_target target = vkt_target_create(&t, 64, 64, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_buffer buffer = vkt_buffer_create(&t, 4096, VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
    VkCommandBuffer cmd = record(&t, &target, &buffer);
    const VkDebugUtilsLabelEXT level = label("level 3"), saved = label("saved");
    queue_begin(t.queue, &level);
    queue_insert(t.queue, &saved);
    vkt_end_submit(&t, cmd);
    queue_end(t.queue);
    vkt_end_submit(&t, record(&t, &target, &buffer)); /* the handle may be reused, so the name is set again */
    vkt_buffer_destroy(&t, &buffer);
    vkt_target_destroy(&t, &target);
    vkt_device_close(&t); /* everything has retired and is written to the trace */
    read_trace();
    assert_int_equal(count_lines("\"thread_name\"", "queue 0.0 main queue\"", ""), 1);
    assert_int_equal(count_lines("\"ph\": \"b\"", "\"name\": \"saved\"", ""), 1);
    assert_int_equal(count_lines("\"ph\": \"b\"", "\"name\": \"level 3\"", ""), 1);
    const char *const first = "\"command_buffer\": \"frame \\\"1\\\"\", \"queue_label\": \"level 3\"";
    assert_int_equal(count_lines("\"ph\": \"b\"", "\"label\": \"sky\"", first), 1);
    assert_int_equal(count_lines("\"ph\": \"b\", ", "\"name\": \"half way\"", "\"label\": \"world\""), 2);
    assert_int_equal(count_lines("\"ph\": \"b\"", "\"label\": \"world\"", first), 2); /* the pass and the fill */
    assert_int_equal(count_lines("\"ph\": \"X\"", "\"label\": \"sky\"", ""), 2);      /* executed on the chip */
    assert_true(check_times() >= 4);
}

/* -- engines ------------------------------------------------------------------------------------------------------ */

#define QUEUES    3
#define TARGET_PX 1024u
#define COPY_B    (UINT32_C(64) << 20)
#define PASSES    16
#define ROUNDS    4

/* A device with three queues of one family, which all wait for one semaphore. */
struct gate {
    struct vkt t[QUEUES]; /* the same device, with the queue of each */
    VkSemaphore semaphore;
    PFN_vkSignalSemaphoreKHR signal;
};

static void open_gate(struct gate *gate)
{
    const struct vkt *t = vkt_device(VKT_TESTED);
    const float priorities[QUEUES] = {1, 1, 1};
    const VkDeviceQueueCreateInfo queues = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = QUEUES, .pQueuePriorities = priorities};
    const VkPhysicalDeviceTimelineSemaphoreFeatures timeline = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES, .timelineSemaphore = VK_TRUE};
    const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                     .pNext = &timeline,
                                     .queueCreateInfoCount = 1,
                                     .pQueueCreateInfos = &queues,
                                     .enabledExtensionCount = 1,
                                     .ppEnabledExtensionNames =
                                         (const char *[]){VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME}};
    VkDevice device;
    VkDescriptorPool descriptors;
    vkt_ok(vkCreateDevice(t->physical, &info, NULL, &device));
    const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1};
    const VkDescriptorPoolCreateInfo pool_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 1, .pPoolSizes = &size};
    vkt_ok(vkCreateDescriptorPool(device, &pool_info, NULL, &descriptors));
    for (uint32_t i = 0; i < QUEUES; i++) {
        const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
        gate->t[i] = *t;
        gate->t[i].device = device;
        gate->t[i].descriptors = descriptors;
        vkGetDeviceQueue(device, 0, i, &gate->t[i].queue);
        vkt_ok(vkCreateCommandPool(device, &pool, NULL, &gate->t[i].pool));
    }
    const VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                            .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
    const VkSemaphoreCreateInfo semaphore = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
    vkt_ok(vkCreateSemaphore(device, &semaphore, NULL, &gate->semaphore));
    gate->signal = (PFN_vkSignalSemaphoreKHR)vkGetDeviceProcAddr(device, "vkSignalSemaphoreKHR");
    assert_non_null(gate->signal);
    get_functions(device);
}

static void close_gate(struct gate *gate)
{
    VkDevice device = gate->t[0].device;
    vkDestroySemaphore(device, gate->semaphore, NULL);
    vkDestroyDescriptorPool(device, gate->t[0].descriptors, NULL);
    for (uint32_t i = 0; i < QUEUES; i++)
        vkDestroyCommandPool(device, gate->t[i].pool, NULL);
    vkDestroyDevice(device, NULL);
}

static void submit_behind(const struct gate *gate, uint32_t queue, VkCommandBuffer cmd, const char *name,
                          uint64_t value)
{
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    const VkTimelineSemaphoreSubmitInfo values = {.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                                  .waitSemaphoreValueCount = 1,
                                                  .pWaitSemaphoreValues = &value};
    const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                               .pNext = &values,
                               .waitSemaphoreCount = 1,
                               .pWaitSemaphores = &gate->semaphore,
                               .pWaitDstStageMask = &stage,
                               .commandBufferCount = 1,
                               .pCommandBuffers = &cmd};
    name_object(gate->t[0].device, VK_OBJECT_TYPE_COMMAND_BUFFER, cmd, name);
    vkt_ok(vkEndCommandBuffer(cmd));
    vkt_ok(vkQueueSubmit(gate->t[queue].queue, 1, &info, VK_NULL_HANDLE));
}

/* When the engines worked on the command buffer of this name, from the first start to the last end. */
static void find_span(const char *name, uint64_t *started_ns, uint64_t *finished_ns)
{
    char quoted[80];
    snprintf(quoted, sizeof quoted, "\"command_buffer\": \"%s\"", name);
    *started_ns = UINT64_MAX;
    *finished_ns = 0;
    for (uint32_t i = 0; i < lines.count; i++) {
        if (!strstr(lines.line[i], "\"ph\": \"X\"") || !strstr(lines.line[i], quoted))
            continue;
        const uint64_t started = number(lines.line[i], "started_ns"), finished = number(lines.line[i], "finished_ns");
        *started_ns = started < *started_ns ? started : *started_ns;
        *finished_ns = finished > *finished_ns ? finished : *finished_ns;
    }
    assert_true(*finished_ns);
}

static void name_of(uint32_t round, uint32_t queue, char out[32])
{
    snprintf(out, 32, "engine %u round %u", queue, round);
}

/* A dispatch, a fill and passes, each on a queue of its own, longer from round to round. */
static void work_at_once(struct gate *gate, const struct vkt_compute *slow, struct vkt_buffer *counts,
                         struct vkt_buffer *filled, const struct vkt_target *target, uint32_t round)
{
    VkCommandBuffer cmd[QUEUES];
    for (uint32_t i = 0; i < QUEUES; i++)
        cmd[i] = vkt_begin(&gate->t[i]);
    ((uint32_t *)counts->map)[0] = 10u << 2 * round;
    VkDescriptorSet set = vkt_compute_set(&gate->t[0], slow, counts, 1);
    vkt_compute_bind(cmd[0], slow, &set);
    vkCmdDispatch(cmd[0], 1, 1, 1);
    vkCmdFillBuffer(cmd[1], filled->buffer, 0, VK_WHOLE_SIZE, 7);
    for (uint32_t i = 0; i < (uint32_t)PASSES << round; i++) {
        vkt_begin_pass(cmd[2], target, (const float[]){1, 0, 0, 1}, 1, 0);
        vkCmdEndRenderPass(cmd[2]);
    }
    for (uint32_t i = 0; i < QUEUES; i++) {
        char name[32];
        name_of(round, i, name);
        submit_behind(gate, i, cmd[i], name, round + 1);
    }
    const VkSemaphoreSignalInfo open = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .semaphore = gate->semaphore, .value = round + 1};
    vkt_ok(gate->signal(gate->t[0].device, &open));
    vkt_ok(vkDeviceWaitIdle(gate->t[0].device));
    vkt_ok(vkResetDescriptorPool(gate->t[0].device, gate->t[0].descriptors, 0));
    for (uint32_t i = 0; i < QUEUES; i++)
        vkFreeCommandBuffers(gate->t[i].device, gate->t[i].pool, 1, &cmd[i]);
}

static bool did_overlap(uint32_t round)
{
    uint64_t started_ns = 0, finished_ns = UINT64_MAX;
    for (uint32_t i = 0; i < QUEUES; i++) {
        char name[32];
        uint64_t from_ns, to_ns;
        name_of(round, i, name);
        find_span(name, &from_ns, &to_ns);
        started_ns = from_ns > started_ns ? from_ns : started_ns;
        finished_ns = to_ns < finished_ns ? to_ns : finished_ns;
    }
    return started_ns < finished_ns;
}

/* Three engines, three queues of one family, nothing that orders them. */
static void engines_work_at_the_same_time(void **state)
{
    struct gate gate;
    uint32_t overlaps = 0;
    open_gate(&gate);
    struct vkt *t = &gate.t[0];
    struct vkt_compute slow = vkt_compute_create_simple(t, VKT_SHADER(slow_comp), 1, 0, NULL);
    struct vkt_buffer counts = vkt_storage_buffer(t, 2, 0),
                      filled = vkt_buffer_create(t, COPY_B, VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
    struct vkt_target target =
        vkt_target_create(t, TARGET_PX, TARGET_PX, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    for (uint32_t round = 0; round < ROUNDS; round++) /* on a busy machine an engine may come late */
        work_at_once(&gate, &slow, &counts, &filled, &target, round);
    vkt_compute_destroy(t, &slow);
    vkt_buffer_destroy(t, &counts);
    vkt_buffer_destroy(t, &filled);
    vkt_target_destroy(t, &target);
    close_gate(&gate); /* everything has retired, and is written */
    read_trace();
    for (uint32_t round = 0; round < ROUNDS; round++)
        overlaps += did_overlap(round);
    assert_in_range(overlaps, 1, ROUNDS);
    assert_true(count_lines("\"thread_name\"", "CPU engine\"", "") >= 1);
    assert_true(count_lines("\"thread_name\"", "copy engine\"", "") >= 1);
    assert_true(count_lines("\"thread_name\"", "chip\"", "") >= 1);
}

/* -- presents ----------------------------------------------------------------------------------------------------- */

struct screen {
    VkInstance instance;
    VkDevice device;
    VkQueue queue;
    VkSurfaceKHR surface;
    VkSwapchainKHR swapchain;
    VkSemaphore acquired;
};

static void open_device(struct screen *s)
{
    static const char *const instance_extensions[] = {VK_KHR_SURFACE_EXTENSION_NAME,
                                                      VK_EXT_HEADLESS_SURFACE_EXTENSION_NAME},
                             *const device_extensions[] = {VK_KHR_SWAPCHAIN_EXTENSION_NAME};
    vkt_ok(vkCreateInstance(&(VkInstanceCreateInfo){.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                                    .enabledExtensionCount = VKT_COUNT(instance_extensions),
                                                    .ppEnabledExtensionNames = instance_extensions},
                            NULL, &s->instance));
    VkPhysicalDevice physical;
    uint32_t count = 1;
    assert_true(vkEnumeratePhysicalDevices(s->instance, &count, &physical) >= 0);
    const VkDeviceQueueCreateInfo queue_info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &(float){1}};
    vkt_ok(vkCreateDevice(physical,
                          &(VkDeviceCreateInfo){.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                                .queueCreateInfoCount = 1,
                                                .pQueueCreateInfos = &queue_info,
                                                .enabledExtensionCount = VKT_COUNT(device_extensions),
                                                .ppEnabledExtensionNames = device_extensions},
                          NULL, &s->device));
    vkGetDeviceQueue(s->device, 0, 0, &s->queue);
    vkt_ok(vkCreateSemaphore(s->device, &(VkSemaphoreCreateInfo){.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO},
                             NULL, &s->acquired));
}

static void open_screen(struct screen *s, VkPresentModeKHR mode)
{
    open_device(s);
    PFN_vkCreateHeadlessSurfaceEXT create =
        (PFN_vkCreateHeadlessSurfaceEXT)vkGetInstanceProcAddr(s->instance, "vkCreateHeadlessSurfaceEXT");
    const VkHeadlessSurfaceCreateInfoEXT info = {.sType = VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT};
    vkt_ok(create(s->instance, &info, NULL, &s->surface));
    const VkSwapchainCreateInfoKHR swapchain_info = {
        .sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
        .surface = s->surface,
        .minImageCount = 3,
        .imageFormat = VK_FORMAT_B8G8R8A8_UNORM,
        .imageColorSpace = VK_COLOR_SPACE_SRGB_NONLINEAR_KHR,
        .imageExtent = {64, 64},
        .imageArrayLayers = 1,
        .imageUsage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
        .preTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
        .compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
        .presentMode = mode,
    };
    vkt_ok(vkCreateSwapchainKHR(s->device, &swapchain_info, NULL, &s->swapchain));
}

static void close_screen(struct screen *s)
{
    vkDestroySwapchainKHR(s->device, s->swapchain, NULL); /* presents what is queued */
    vkDestroySurfaceKHR(s->instance, s->surface, NULL);
    vkDestroySemaphore(s->device, s->acquired, NULL);
    vkDestroyDevice(s->device, NULL);
    vkDestroyInstance(s->instance, NULL);
}

/* Presents `frames` frames as fast as possible; returns how many of them were shown. */
static uint32_t present_and_count_shown(uint32_t frames, VkPresentModeKHR mode)
{
    struct screen s;
    read_trace();
    const uint32_t before = count_lines("\"ph\": \"X\"", "\"name\": \"present\"", "");
    open_screen(&s, mode);
    for (uint32_t i = 0; i < frames; i++) {
        uint32_t image;
        vkt_ok(vkAcquireNextImageKHR(s.device, s.swapchain, UINT64_C(5000000000), s.acquired, VK_NULL_HANDLE, &image));
        const VkPresentInfoKHR present = {.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
                                          .waitSemaphoreCount = 1,
                                          .pWaitSemaphores = &s.acquired,
                                          .swapchainCount = 1,
                                          .pSwapchains = &s.swapchain,
                                          .pImageIndices = &image};
        vkt_ok(vkQueuePresentKHR(s.queue, &present));
    }
    close_screen(&s);
    read_trace();
    check_times();
    return count_lines("\"ph\": \"X\"", "\"name\": \"present\"", "") - before;
}

static void every_picture_of_fifo_and_immediate_is_shown(void **state)
{
    assert_int_equal(present_and_count_shown(10, VK_PRESENT_MODE_FIFO_KHR), 10);
    assert_int_equal(present_and_count_shown(50, VK_PRESENT_MODE_IMMEDIATE_KHR), 50);
}

static void mailbox_replaces_pictures(void **state)
{
    /* One per refresh cycle: about 5 on an idle machine, many more on a busy one. test_present.c checks that it does
     * not wait. */
    assert_in_range(present_and_count_shown(200, VK_PRESENT_MODE_MAILBOX_KHR), 2, 150);
}

static void the_driver_is_a_tool(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    static const char *const extension = VK_EXT_TOOLING_INFO_EXTENSION_NAME;
    struct vkt device = vkt_device_create_with(t, &extension, 1);
    PFN_vkGetPhysicalDeviceToolPropertiesEXT get_tools =
        (PFN_vkGetPhysicalDeviceToolPropertiesEXT)vkGetInstanceProcAddr(t->instance,
                                                                        "vkGetPhysicalDeviceToolPropertiesEXT");
    VkPhysicalDeviceToolProperties tools[8] = {0};
    uint32_t count = VKT_COUNT(tools); /* validation layers are tools, too */
    for (uint32_t i = 0; i < count; i++)
        tools[i].sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TOOL_PROPERTIES;
    vkt_ok(get_tools(t->physical, &count, tools));
    bool found = false;
    for (uint32_t i = 0; i < count; i++)
        found |= !strcmp(tools[i].name, "vc4vk trace") && (tools[i].purposes & VK_TOOL_PURPOSE_TRACING_BIT);
    assert_true(found);
    vkt_device_close(&device);
}

int main(void)
{
    int fd = mkstemp(path);
    if (fd < 0 || setenv("VC4VK_TRACE", path, 1))
        return 1;
    close(fd);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(names_and_labels_are_in_the_trace, vkt_check_messages),
        cmocka_unit_test_teardown(engines_work_at_the_same_time, vkt_check_messages),
        cmocka_unit_test(every_picture_of_fifo_and_immediate_is_shown),
        cmocka_unit_test(mailbox_replaces_pictures),
        cmocka_unit_test_teardown(the_driver_is_a_tool, vkt_check_messages),
    };
    int failed = cmocka_run_group_tests_name("trace", tests, NULL, vkt_teardown);
    unlink(path);
    free(lines.text);
    return failed;
}
