/* SPDX-License-Identifier: MIT
 *
 * Updates of descriptors in memory of sets: variable counts, the largest arrays, elements that are written while
 * commands that use others wait or run.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include "vkt_arrays.h"
#include "bindless_buffers.comp.h"

#define STORAGE VK_DESCRIPTOR_TYPE_STORAGE_BUFFER
#define COMPUTE VK_SHADER_STAGE_COMPUTE_BIT

struct buffers_test {
    struct vkt t;
    struct vkt_arrays a;
    struct vkt_compute c;
    struct vkt_buffer index, results;
    VkDescriptorSet sets[2];
    VkCommandBuffer cmd;
};

static void make_pipeline(struct buffers_test *b)
{
    const struct vkt_binding own[2] = {{STORAGE, COMPUTE, 1}, {STORAGE, COMPUTE, 1}};
    VkDescriptorSetLayout layouts[2] = {b->a.layout, vkt_set_layout_create(&b->t, own, 2)};
    b->c = vkt_compute_create(&b->t, VKT_SHADER(bindless_buffers_comp), layouts, 2, 0, NULL);
    b->index = vkt_storage_buffer(&b->t, 16, 0);
    b->results = vkt_storage_buffer(&b->t, 16, 0);
    b->sets[0] = b->a.set;
    b->sets[1] = vkt_set_alloc(&b->t, layouts[1]);
    vkt_set_buffer(&b->t, b->sets[1], 0, STORAGE, b->index.buffer, 0, VK_WHOLE_SIZE);
    vkt_set_buffer(&b->t, b->sets[1], 1, STORAGE, b->results.buffer, 0, VK_WHOLE_SIZE);
}

static void begin_buffers(struct buffers_test *b, uint32_t count, VkDescriptorBindingFlags flags, uint32_t variable)
{
    const struct vkt_array array = {STORAGE, count, flags, NULL};
    b->t = vkt_open_indexing();
    b->a = vkt_arrays_create(&b->t, &array, 1, COMPUTE, variable);
    make_pipeline(b);
}

static void record(struct buffers_test *b, VkEvent waits_for)
{
    b->cmd = vkt_begin(&b->t);
    if (waits_for)
        vkCmdWaitEvents(b->cmd, 1, &waits_for, VK_PIPELINE_STAGE_HOST_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0,
                        NULL, 0, NULL, 0, NULL);
    vkt_compute_bind(b->cmd, &b->c, b->sets);
    vkCmdDispatch(b->cmd, 1, 1, 1);
    vkt_barrier_all(b->cmd);
    vkt_ok(vkEndCommandBuffer(b->cmd));
}

static void end_buffers(struct buffers_test *b)
{
    vkFreeCommandBuffers(b->t.device, b->t.pool, 1, &b->cmd);
    vkt_buffer_destroy(&b->t, &b->index);
    vkt_buffer_destroy(&b->t, &b->results);
    vkt_compute_destroy(&b->t, &b->c);
    vkt_arrays_destroy_pool(&b->t, &b->a);
    vkt_device_close(&b->t);
}

static struct vkt_buffer numbered(struct vkt *t, uint32_t number)
{
    struct vkt_buffer b = vkt_storage_buffer(t, 16, 0);
    ((uint32_t *)b.map)[1] = number;
    return b;
}

/* The layout allows for 500,000 descriptors and the set has as many as it asks for. An index beyond these finds a null
 * descriptor. */
static void test_variable_count(void **state)
{
    struct buffers_test b;
    begin_buffers(&b, 500000, VKT_FREE_FLAGS | VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT, 40);
    struct vkt_buffer first = numbered(&b.t, 3), last = numbered(&b.t, 5);
    record(&b, VK_NULL_HANDLE);
    vkt_write_buffer(&b.t, b.a.set, 0, 0, STORAGE, &first);
    vkt_write_buffer(&b.t, b.a.set, 0, 39, STORAGE, &last);
    for (uint32_t i = 0; i < 16; i++)
        ((uint32_t *)b.index.map)[i] = i == 15 ? 40 : i % 2 * 39;
    vkt_submit(&b.t, b.cmd);
    for (uint32_t i = 0; i < 15; i++)
        assert_int_equal(((uint32_t *)b.results.map)[i], i % 2 ? 5 : 3);
    assert_int_equal(((uint32_t *)b.results.map)[15], 0);
    vkt_buffer_destroy(&b.t, &first);
    vkt_buffer_destroy(&b.t, &last);
    end_buffers(&b);
}

/* A set with all descriptors that the limit allows; copies lead from the first to the last. */
static void test_largest_array(void **state)
{
    struct buffers_test b;
    begin_buffers(&b, 500000, VKT_FREE_FLAGS, 0);
    struct vkt_buffer buffer = numbered(&b.t, 7), gone = numbered(&b.t, 9);
    record(&b, VK_NULL_HANDLE);
    for (uint32_t i = 1; i < 1000; i++)
        vkt_write_buffer(&b.t, b.a.set, 0, 499 * i, STORAGE, &gone);
    vkt_write_buffer(&b.t, b.a.set, 0, 0, STORAGE, &buffer);
    for (uint32_t i = 1; i < 500000; i *= 2)
        vkt_copy_descriptor(&b.t, b.a.set, 0, 0, b.a.set, 0, i < 250000 ? i : 499999);
    vkt_buffer_destroy(&b.t, &gone);
    for (uint32_t i = 0; i < 16; i++)
        ((uint32_t *)b.index.map)[i] = i == 15 ? 499999 : 1u << i;
    vkt_submit(&b.t, b.cmd);
    for (uint32_t i = 0; i < 16; i++)
        assert_int_equal(((uint32_t *)b.results.map)[i], 7);
    vkt_buffer_destroy(&b.t, &buffer);
    end_buffers(&b);
}

/* Elements that the pending command does not use change while it waits for the host. */
static void test_update_while_pending(void **state)
{
    struct buffers_test b;
    VkEvent event;
    VkFence fence;
    begin_buffers(&b, 64, VKT_FREE_FLAGS, 0);
    vkt_ok(vkCreateEvent(b.t.device, &(VkEventCreateInfo){.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO}, NULL, &event));
    vkt_ok(vkCreateFence(b.t.device, &(VkFenceCreateInfo){.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO}, NULL, &fence));
    struct vkt_buffer used = numbered(&b.t, 11), before = numbered(&b.t, 12), after = numbered(&b.t, 13);
    for (uint32_t i = 0; i < 64; i++)
        vkt_write_buffer(&b.t, b.a.set, 0, i, STORAGE, i % 2 ? &before : &used);
    for (uint32_t i = 0; i < 16; i++)
        ((uint32_t *)b.index.map)[i] = 2 * i;
    record(&b, event);
    vkt_ok(vkQueueSubmit(
        b.t.queue, 1,
        &(VkSubmitInfo){.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &b.cmd},
        fence));
    for (uint32_t i = 1; i < 64; i += 2)
        vkt_write_buffer(&b.t, b.a.set, 0, i, STORAGE, &after);
    vkt_buffer_destroy(&b.t, &before);
    /* Vulkan 1.0 allowed this, newer versions do not; applications may still do it. */
    vkt_accept_message(vkt_device(VKT_TESTED), "VUID-vkSetEvent-event-09543");
    vkt_ok(vkSetEvent(b.t.device, event));
    vkt_ok(vkWaitForFences(b.t.device, 1, &fence, VK_TRUE, UINT64_MAX));
    for (uint32_t i = 0; i < 16; i++)
        assert_int_equal(((uint32_t *)b.results.map)[i], 11);
    vkDestroyFence(b.t.device, fence, NULL);
    vkDestroyEvent(b.t.device, event, NULL);
    vkt_buffer_destroy(&b.t, &used);
    vkt_buffer_destroy(&b.t, &after);
    end_buffers(&b);
}

/* Dynamic buffers stay in binding tables: elements of a partially bound array that no lane chooses are empty or name a
 * buffer that has been destroyed after recording. */
static void test_dynamic(void **state)
{
    const VkDescriptorType type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
    const struct vkt_array array = {type, 4, VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT, NULL};
    const uint32_t offsets[4] = {0};
    struct buffers_test b = {.t = vkt_open_indexing()};
    struct vkt *t = &b.t;
    b.a = vkt_arrays_create(t, &array, 1, COMPUTE, 0);
    make_pipeline(&b);
    struct vkt_buffer used = numbered(t, 31), gone = numbered(t, 32);
    vkt_write_buffer(t, b.a.set, 0, 1, type, &used);
    vkt_write_buffer(t, b.a.set, 0, 2, type, &gone);
    for (uint32_t i = 0; i < 16; i++)
        ((uint32_t *)b.index.map)[i] = 1;
    b.cmd = vkt_begin(t);
    vkCmdBindPipeline(b.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, b.c.pipeline);
    vkCmdBindDescriptorSets(b.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, b.c.layout, 0, 2, b.sets, 4, offsets);
    vkCmdDispatch(b.cmd, 1, 1, 1);
    vkt_barrier_all(b.cmd);
    vkt_ok(vkEndCommandBuffer(b.cmd));
    vkt_buffer_destroy(t, &gone);
    vkt_submit(t, b.cmd);
    for (uint32_t i = 0; i < 16; i++)
        assert_int_equal(((uint32_t *)b.results.map)[i], 31);
    vkt_buffer_destroy(t, &used);
    end_buffers(&b);
}

/* A thread that writes every fourth element again and again. */
struct writer {
    struct buffers_test *b;
    const struct vkt_buffer *values;
    uint32_t first;
    atomic_bool *done;
    pthread_t thread;
};

static void *write_often(void *data)
{
    const struct writer *w = data;
    for (uint32_t n = 0; !atomic_load(w->done); n++)
        for (uint32_t i = w->first; i < 64; i += 4)
            vkt_write_buffer(&w->b->t, w->b->a.set, 0, i, STORAGE, &w->values[n % 2]);
    return NULL;
}

/* Two threads write elements of the set while commands use others of its elements. */
static void test_updates_by_threads(void **state)
{
    struct buffers_test b;
    atomic_bool done = false;
    begin_buffers(&b, 64, VKT_FREE_FLAGS, 0);
    struct vkt_buffer used = numbered(&b.t, 21), values[2] = {numbered(&b.t, 22), numbered(&b.t, 23)};
    for (uint32_t i = 0; i < 64; i += 2)
        vkt_write_buffer(&b.t, b.a.set, 0, i, STORAGE, &used);
    for (uint32_t i = 0; i < 16; i++)
        ((uint32_t *)b.index.map)[i] = 4 * i;
    record(&b, VK_NULL_HANDLE);
    struct writer writers[2] = {{&b, values, 1, &done, 0}, {&b, values, 3, &done, 0}};
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&writers[i].thread, NULL, write_often, &writers[i]), 0);
    for (uint32_t n = 0; n < 50; n++) {
        memset(b.results.map, 0, 64);
        vkt_submit(&b.t, b.cmd);
        for (uint32_t i = 0; i < 16; i++)
            assert_int_equal(((uint32_t *)b.results.map)[i], 21);
    }
    atomic_store(&done, true);
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(pthread_join(writers[i].thread, NULL), 0);
    vkt_buffer_destroy(&b.t, &used);
    vkt_buffer_destroy(&b.t, &values[0]);
    vkt_buffer_destroy(&b.t, &values[1]);
    end_buffers(&b);
}

int main(void)
{
    vkt_request_version(VK_API_VERSION_1_1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_variable_count, vkt_check_messages),
        cmocka_unit_test_teardown(test_largest_array, vkt_check_messages),
        cmocka_unit_test_teardown(test_update_while_pending, vkt_check_messages),
        cmocka_unit_test_teardown(test_updates_by_threads, vkt_check_messages),
        cmocka_unit_test_teardown(test_dynamic, vkt_check_messages),
    };
    return cmocka_run_group_tests(tests, NULL, vkt_teardown);
}
