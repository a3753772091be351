/* SPDX-License-Identifier: MIT
 *
 * VK_EXT_debug_utils messengers as applications use them, without a validation layer. A callback takes the
 * application's own locks and calls Vulkan while other threads hold those locks during Vulkan calls. If the driver held
 * one of its locks while it calls back, these tests would deadlock.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "vkt.h"
#include "cover.vert.h"
#include "engine_white.frag.h"

#define SIZE_PX 64
#define INDICES 300

/* An instance, a device, and the entry points that the loader does not export. */
struct side {
    struct vkt t;
    PFN_vkCreateDebugUtilsMessengerEXT create;
    PFN_vkDestroyDebugUtilsMessengerEXT destroy;
    PFN_vkSubmitDebugUtilsMessageEXT submit;
};

/* A messenger: what its callback does and what it has received. */
struct listener {
    struct side *side;
    pthread_mutex_t *lock_to_take; /* may be NULL: the callback locks it */
    bool calls_vulkan;
    _Atomic uint32_t started, finished;
    _Atomic bool was_on_other_thread; /* than the creator of the messenger */
    pthread_t maker;
    VkDebugUtilsMessengerEXT messenger;
    char text[200];
};

static void open_side(struct side *s)
{
    static const char *const extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    const VkInstanceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .pApplicationInfo =
            &(VkApplicationInfo){.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_1},
        .enabledExtensionCount = 1,
        .ppEnabledExtensionNames = &extension,
    };
    struct vkt t = {0};
    vkt_ok(vkCreateInstance(&info, NULL, &t.instance));
    s->t = vkt_device_create(&t);
    s->create = (PFN_vkCreateDebugUtilsMessengerEXT)vkGetInstanceProcAddr(t.instance, "vkCreateDebugUtilsMessengerEXT");
    s->destroy =
        (PFN_vkDestroyDebugUtilsMessengerEXT)vkGetInstanceProcAddr(t.instance, "vkDestroyDebugUtilsMessengerEXT");
    s->submit = (PFN_vkSubmitDebugUtilsMessageEXT)vkGetInstanceProcAddr(t.instance, "vkSubmitDebugUtilsMessageEXT");
    assert_true(s->create && s->destroy && s->submit);
}

static void close_side(struct side *s)
{
    vkt_device_close(&s->t);
    vkDestroyInstance(s->t.instance, NULL);
}

static VkResult make_refused_query_pool(struct side *s)
{
    const VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                        .queryType = VK_QUERY_TYPE_PIPELINE_STATISTICS,
                                        .queryCount = 1};
    VkQueryPool pool;
    return vkCreateQueryPool(s->t.device, &info, NULL, &pool);
}

static VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                 VkDebugUtilsMessageTypeFlagsEXT types,
                                                 const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
    struct listener *listener = user;
    atomic_fetch_add(&listener->started, 1);
    if (!pthread_equal(pthread_self(), listener->maker))
        atomic_store(&listener->was_on_other_thread, true);
    if (listener->lock_to_take)
        pthread_mutex_lock(listener->lock_to_take);
    strncpy(listener->text, data->pMessage, sizeof listener->text - 1);
    if (listener->calls_vulkan) {
        VkFence fence;
        const VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
        vkt_ok(vkCreateFence(listener->side->t.device, &info, NULL, &fence));
        vkt_ok(vkQueueSubmit(listener->side->t.queue, 0, NULL, fence));
        vkt_ok(vkWaitForFences(listener->side->t.device, 1, &fence, VK_TRUE, UINT64_MAX));
        vkDestroyFence(listener->side->t.device, fence, NULL);
        assert_int_equal(make_refused_query_pool(listener->side), VK_ERROR_FEATURE_NOT_PRESENT); /* not reported */
    }
    if (listener->lock_to_take)
        pthread_mutex_unlock(listener->lock_to_take);
    atomic_fetch_add(&listener->finished, 1);
    return VK_FALSE;
}

static void listen(struct listener *listener, struct side *side)
{
    const VkDebugUtilsMessengerCreateInfoEXT info = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity =
            VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT,
        .pfnUserCallback = on_message,
        .pUserData = listener,
    };
    listener->side = side;
    listener->maker = pthread_self();
    vkt_ok(side->create(side->t.instance, &info, NULL, &listener->messenger));
}

static void stop_listening(struct listener *listener)
{
    listener->side->destroy(listener->side->t.instance, listener->messenger, NULL);
}

static void wait_for(const _Atomic uint32_t *count, uint32_t wanted)
{
    while (atomic_load(count) < wanted)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

/* -- which messenger receives which message --------------------------------------------------------------------------
 */

static void messages_stay_in_their_instance(void **state)
{
    struct side sides[2];
    struct listener listeners[2] = {0};
    for (int i = 0; i < 2; i++) {
        open_side(&sides[i]);
        listen(&listeners[i], &sides[i]);
    }
    for (int i = 0; i < 2; i++) {
        const uint32_t others = listeners[!i].finished;
        assert_int_equal(make_refused_query_pool(&sides[i]), VK_ERROR_FEATURE_NOT_PRESENT);
        assert_int_equal(listeners[i].finished, 1); /* delivered on the calling thread before the call returns */
        assert_false(listeners[i].was_on_other_thread);
        assert_non_null(strstr(listeners[i].text, "query"));
        assert_int_equal(listeners[!i].finished, others);
    }
    const VkDebugUtilsMessengerCallbackDataEXT data = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CALLBACK_DATA_EXT, .pMessage = "of the application"};
    sides[0].submit(sides[0].t.instance, VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
                    VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT, &data);
    assert_string_equal(listeners[0].text, "of the application");
    assert_int_equal(listeners[1].finished, 1);
    for (int i = 0; i < 2; i++) {
        stop_listening(&listeners[i]);
        close_side(&sides[i]);
    }
}

static void a_callback_may_call(void **state)
{
    struct side side;
    struct listener listener = {.calls_vulkan = true};
    open_side(&side);
    listen(&listener, &side);
    assert_int_equal(make_refused_query_pool(&side), VK_ERROR_FEATURE_NOT_PRESENT);
    assert_int_equal(listener.finished, 1);
    stop_listening(&listener);
    close_side(&side);
}

/* -- addresses (VK_EXT_device_address_binding_report) ------------------------------------------------------------- */

struct address_event {
    VkDeviceAddressBindingTypeEXT binding;
    VkDeviceAddress base;
    VkDeviceSize size_B;
    VkObjectType type;
    uint64_t object;
};

struct address_log {
    struct address_event events[16];
    uint32_t count;
};

static VKAPI_ATTR VkBool32 VKAPI_CALL on_address(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                 VkDebugUtilsMessageTypeFlagsEXT types,
                                                 const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
    struct address_log *log = user;
    const VkDeviceAddressBindingCallbackDataEXT *report = data->pNext;
    assert_int_equal(severity, VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT);
    assert_int_equal(types, VK_DEBUG_UTILS_MESSAGE_TYPE_DEVICE_ADDRESS_BINDING_BIT_EXT);
    assert_int_equal(report->sType, VK_STRUCTURE_TYPE_DEVICE_ADDRESS_BINDING_CALLBACK_DATA_EXT);
    assert_int_equal(report->flags, 0);
    assert_int_equal(data->objectCount, 1);
    assert_true(log->count < VKT_COUNT(log->events));
    log->events[log->count++] = (struct address_event){report->bindingType, report->baseAddress, report->size,
                                                       data->pObjects->objectType, data->pObjects->objectHandle};
    return VK_FALSE;
}

static VkDebugUtilsMessengerEXT hear_addresses(struct side *side, struct address_log *log)
{
    VkDebugUtilsMessengerEXT messenger;
    vkt_ok(side->create(
        side->t.instance,
        &(VkDebugUtilsMessengerCreateInfoEXT){.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
                                              .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT,
                                              .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_DEVICE_ADDRESS_BINDING_BIT_EXT,
                                              .pfnUserCallback = on_address,
                                              .pUserData = log},
        NULL, &messenger));
    return messenger;
}

/* A buffer with an address comes and goes. Returns the address. */
static VkDeviceAddress use_address(struct vkt *t, VkBuffer *buffer_out, VkDeviceMemory *memory_out)
{
    vkt_ok(vkCreateBuffer(t->device,
                          &(VkBufferCreateInfo){.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                                .size = 1000,
                                                .usage = VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT},
                          NULL, buffer_out));
    const VkMemoryAllocateFlagsInfo flags = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                             .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
    vkt_ok(vkAllocateMemory(t->device,
                            &(VkMemoryAllocateInfo){.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                                    .pNext = &flags,
                                                    .allocationSize = 8192},
                            NULL, memory_out));
    vkt_ok(vkBindBufferMemory(t->device, *buffer_out, *memory_out, 4096));
    PFN_vkGetBufferDeviceAddressKHR get =
        (PFN_vkGetBufferDeviceAddressKHR)vkGetDeviceProcAddr(t->device, "vkGetBufferDeviceAddressKHR");
    const VkDeviceAddress address =
        get(t->device,
            &(VkBufferDeviceAddressInfo){.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, .buffer = *buffer_out});
    vkDestroyBuffer(t->device, *buffer_out, NULL);
    vkFreeMemory(t->device, *memory_out, NULL);
    return address;
}

static void assert_event(const struct address_event *event, VkDeviceAddressBindingTypeEXT binding, VkDeviceAddress base,
                         VkDeviceSize size_B, VkObjectType type, uint64_t object)
{
    assert_int_equal(event->binding, binding);
    assert_true(event->base == base && event->size_B == size_B);
    assert_int_equal(event->type, type);
    assert_true(event->object == object);
}

static void addresses_are_reported_as_they_come_and_go(void **state)
{
    static const char *const extensions[] = {VK_KHR_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME,
                                             VK_EXT_DEVICE_ADDRESS_BINDING_REPORT_EXTENSION_NAME};
    VkPhysicalDeviceAddressBindingReportFeaturesEXT features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ADDRESS_BINDING_REPORT_FEATURES_EXT,
        .reportAddressBinding = VK_TRUE};
    struct side side;
    struct listener others = {0};
    struct address_log log = {0};
    VkBuffer buffer;
    VkDeviceMemory memory;
    open_side(&side);
    listen(&others, &side);
    VkDebugUtilsMessengerEXT messenger = hear_addresses(&side, &log);
    struct vkt silent = vkt_device_create_with(&side.t, extensions, VKT_COUNT(extensions));
    use_address(&silent, &buffer, &memory); /* the feature is not enabled */
    assert_int_equal(log.count, 0);
    vkt_device_close(&silent);

    struct vkt t = vkt_device_create_chain(&side.t, extensions, VKT_COUNT(extensions), &features);
    const VkDeviceAddress address = use_address(&t, &buffer, &memory);
    assert_int_equal(log.count, 4);
    const uint64_t b = (uint64_t)(uintptr_t)buffer, m = (uint64_t)(uintptr_t)memory;
    assert_event(&log.events[0], VK_DEVICE_ADDRESS_BINDING_TYPE_BIND_EXT, address - 4096, 8192,
                 VK_OBJECT_TYPE_DEVICE_MEMORY, m);
    assert_event(&log.events[1], VK_DEVICE_ADDRESS_BINDING_TYPE_BIND_EXT, address, 1000, VK_OBJECT_TYPE_BUFFER, b);
    assert_event(&log.events[2], VK_DEVICE_ADDRESS_BINDING_TYPE_UNBIND_EXT, address, 1000, VK_OBJECT_TYPE_BUFFER, b);
    assert_event(&log.events[3], VK_DEVICE_ADDRESS_BINDING_TYPE_UNBIND_EXT, address - 4096, 8192,
                 VK_OBJECT_TYPE_DEVICE_MEMORY, m);
    assert_int_equal(others.finished, 0); /* other messengers do not hear of it */
    vkt_device_close(&t);
    side.destroy(side.t.instance, messenger, NULL);
    stop_listening(&others);
    close_side(&side);
}

/* -- the application's own lock -------------------------------------------------------------------------------------
 */

static void *refused_in_thread(void *arg)
{
    return (void *)(intptr_t)make_refused_query_pool(arg);
}

/* A callback waits for a lock. Meanwhile the thread that holds it creates and destroys messengers, creates objects and
 * submits. */
static void a_callback_waits_for_a_thread_that_calls(void **state)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct side side;
    struct listener blocked = {.lock_to_take = &lock}, temporary = {0};
    pthread_t thread;
    void *result;
    open_side(&side);
    listen(&blocked, &side);
    pthread_mutex_lock(&lock);
    assert_int_equal(pthread_create(&thread, NULL, refused_in_thread, &side), 0);
    wait_for(&blocked.started, 1);
    for (int i = 0; i < 3; i++) {
        VkFence fence;
        const VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
        listen(&temporary, &side);
        vkt_ok(vkCreateFence(side.t.device, &info, NULL, &fence));
        vkt_ok(vkQueueSubmit(side.t.queue, 0, NULL, fence));
        vkt_ok(vkWaitForFences(side.t.device, 1, &fence, VK_TRUE, UINT64_MAX));
        vkt_ok(vkDeviceWaitIdle(side.t.device));
        vkDestroyFence(side.t.device, fence, NULL);
        stop_listening(&temporary);
    }
    assert_int_equal(blocked.finished, 0);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, &result);
    assert_int_equal((intptr_t)result, VK_ERROR_FEATURE_NOT_PRESENT);
    assert_int_equal(blocked.finished, 1);
    stop_listening(&blocked);
    close_side(&side);
}

/* A slow draw: the driver reports it on its own thread when it issues the job. */
struct scene {
    struct vkt_target target;
    struct vkt_pipeline pipeline;
    struct vkt_buffer indices;
    VkCommandBuffer commands;
};

static void make_scene(struct scene *scene, struct vkt *t)
{
    uint32_t indices[INDICES];
    for (uint32_t i = 0; i < INDICES; i++)
        indices[i] = i % 3;
    scene->target = vkt_target_create(t, SIZE_PX, SIZE_PX, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    scene->pipeline = vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(cover_vert),
                                                                         .fs = VKT_SHADER(engine_white_frag),
                                                                         .pass = scene->target.pass,
                                                                         .topology = VKT_TRIANGLES,
                                                                         .width = SIZE_PX,
                                                                         .height = SIZE_PX});
    scene->indices = vkt_buffer_create(t, sizeof indices, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, indices);
    VkCommandBuffer cmd = scene->commands = vkt_begin(t);
    vkt_begin_pass(cmd, &scene->target, (const float[]){1, 0, 0, 1}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, scene->pipeline.pipeline);
    vkCmdBindIndexBuffer(cmd, scene->indices.buffer, 0, VK_INDEX_TYPE_UINT32);
    vkCmdDrawIndexed(cmd, INDICES, 1, 0, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_ok(vkEndCommandBuffer(cmd));
}

static void destroy_scene(struct scene *scene, struct vkt *t)
{
    vkt_buffer_destroy(t, &scene->indices);
    vkt_pipeline_destroy(t, &scene->pipeline);
    vkt_target_destroy(t, &scene->target);
}

/* A thread that holds the application's lock waits for work that makes the driver send a message. */
static void work_is_done_while_a_callback_waits(void **state)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct side side;
    struct listener listener = {.lock_to_take = &lock};
    struct scene scene;
    open_side(&side);
    make_scene(&scene, &side.t);
    listen(&listener, &side);
    pthread_mutex_lock(&lock);
    for (int i = 0; i < 3; i++) {
        const VkSubmitInfo info = {
            .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &scene.commands};
        vkt_ok(vkQueueSubmit(side.t.queue, 1, &info, VK_NULL_HANDLE));
        vkt_ok(vkQueueWaitIdle(side.t.queue));
    }
    pthread_mutex_unlock(&lock);
    wait_for(&listener.finished, 1);
    assert_true(listener.was_on_other_thread);
    stop_listening(&listener);
    destroy_scene(&scene, &side.t);
    close_side(&side);
}

/* The messenger is destroyed under the lock that its callback waits for. The callback may run to its end, and its
 * arguments stay valid. */
static void a_messenger_is_destroyed_while_its_callback_waits(void **state)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct side side;
    struct listener listener = {.lock_to_take = &lock};
    struct scene scene;
    open_side(&side);
    make_scene(&scene, &side.t);
    listen(&listener, &side);
    pthread_mutex_lock(&lock);
    vkt_submit(&side.t, scene.commands);
    wait_for(&listener.started, 1);
    stop_listening(&listener);
    pthread_mutex_unlock(&lock);
    wait_for(&listener.finished, 1);
    destroy_scene(&scene, &side.t);
    close_side(&side);
    assert_int_equal(listener.finished, listener.started);
}

/* -- memory callbacks ------------------------------------------------------------------------------------------------
 */

static pthread_mutex_t memory_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic bool slow_thread_allocates;
static _Thread_local bool is_slow_thread;

/* In the thread that sets is_slow_thread, waits here for the application's lock. */
static VKAPI_ATTR void *VKAPI_CALL allocate(void *user, size_t size_B, size_t align_B, VkSystemAllocationScope scope)
{
    void *memory = NULL;
    if (is_slow_thread) {
        atomic_store(&slow_thread_allocates, true);
        pthread_mutex_lock(&memory_lock);
        pthread_mutex_unlock(&memory_lock);
    }
    return posix_memalign(&memory, align_B < sizeof(void *) ? sizeof(void *) : align_B, size_B) ? NULL : memory;
}

static VKAPI_ATTR void VKAPI_CALL release(void *user, void *memory)
{
    free(memory);
}

static VKAPI_ATTR void *VKAPI_CALL reallocate(void *user, void *old, size_t size_B, size_t align_B,
                                              VkSystemAllocationScope scope)
{
    return realloc(old, size_B); /* malloc's alignment suffices for what the driver reallocates */
}

struct pipelines {
    struct vkt t;
    VkRenderPass pass;
    bool is_slow;
};

/* The first pipelines of a device create what all its pipelines share. */
static void *make_pipelines(void *arg)
{
    struct pipelines *p = arg;
    is_slow_thread = p->is_slow;
    for (int i = 0; i < 2; i++) {
        struct vkt_pipeline pipeline =
            vkt_pipeline_create(&p->t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(cover_vert),
                                                                   .fs = VKT_SHADER(engine_white_frag),
                                                                   .pass = p->pass,
                                                                   .topology = VKT_TRIANGLES,
                                                                   .width = SIZE_PX,
                                                                   .height = SIZE_PX});
        vkt_pipeline_destroy(&p->t, &pipeline);
    }
    is_slow_thread = false;
    return NULL;
}

/* One thread waits in an allocation callback for a lock. Another thread holds it while it creates the same kind of
 * object. */
static void an_allocation_waits_for_a_thread_that_calls(void **state)
{
    const VkAllocationCallbacks callbacks = {
        .pfnAllocation = allocate, .pfnReallocation = reallocate, .pfnFree = release};
    struct side side;
    pthread_t thread;
    open_side(&side);
    const VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .queueCreateInfoCount = 1,
        .pQueueCreateInfos = &(VkDeviceQueueCreateInfo){
            .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &(float){1}}};
    struct vkt t = side.t;
    vkt_ok(vkCreateDevice(t.physical, &info, &callbacks, &t.device));
    const VkAttachmentDescription color = {
        .format = VK_FORMAT_R8G8B8A8_UNORM, .samples = VK_SAMPLE_COUNT_1_BIT, .finalLayout = VK_IMAGE_LAYOUT_GENERAL};
    const VkAttachmentReference reference = {0, VK_IMAGE_LAYOUT_GENERAL};
    const VkSubpassDescription subpass = {.colorAttachmentCount = 1, .pColorAttachments = &reference};
    const VkRenderPassCreateInfo pass_info = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                              .attachmentCount = 1,
                                              .pAttachments = &color,
                                              .subpassCount = 1,
                                              .pSubpasses = &subpass};
    struct pipelines slow = {.t = t, .is_slow = true}, quick = {.t = t};
    vkt_ok(vkCreateRenderPass(t.device, &pass_info, NULL, &slow.pass));
    quick.pass = slow.pass;
    pthread_mutex_lock(&memory_lock);
    assert_int_equal(pthread_create(&thread, NULL, make_pipelines, &slow), 0);
    while (!atomic_load(&slow_thread_allocates))
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    make_pipelines(&quick);
    pthread_mutex_unlock(&memory_lock);
    pthread_join(thread, NULL);
    vkDestroyRenderPass(t.device, slow.pass, NULL);
    vkDestroyDevice(t.device, &callbacks);
    close_side(&side);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_stay_in_their_instance),
        cmocka_unit_test(a_callback_may_call),
        cmocka_unit_test(addresses_are_reported_as_they_come_and_go),
        cmocka_unit_test(a_callback_waits_for_a_thread_that_calls),
        cmocka_unit_test(work_is_done_while_a_callback_waits),
        cmocka_unit_test(a_messenger_is_destroyed_while_its_callback_waits),
        cmocka_unit_test(an_allocation_waits_for_a_thread_that_calls),
    };
    const char *icd = getenv("VKT_TESTED_ICD");
    if (icd)
        setenv("VK_ICD_FILENAMES", icd, 1);
    vkt_request_version(VK_API_VERSION_1_1);
    return cmocka_run_group_tests_name("api_messengers", tests, NULL, NULL);
}
