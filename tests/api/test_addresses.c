/* SPDX-License-Identifier: MIT
 *
 * Addresses of buffers (VK_KHR_buffer_device_address) in compute and graphics programs, capture and replay of addresses,
 * and variable pointers (VK_KHR_variable_pointers).
 */
#include <stdio.h>
#include <string.h>
#include "vkt.h"
#include "addresses.frag.h"
#include "addresses.vert.h"
#include "addresses_counts.frag.h"
#include "addresses_list.comp.h"
#include "addresses_wild.comp.h"
#include "pointers.comp.h"

#define ADDRESSED (VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT)

static PFN_vkGetBufferDeviceAddressKHR get_address;
static PFN_vkGetBufferOpaqueCaptureAddressKHR get_buffer_capture;
static PFN_vkGetDeviceMemoryOpaqueCaptureAddressKHR get_memory_capture;

static struct vkt open_device(void)
{
    static const char *const extensions[] = {VK_KHR_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME,
                                             VK_KHR_VARIABLE_POINTERS_EXTENSION_NAME};
    struct vkt t = vkt_device_create_with(vkt_device(VKT_TESTED), extensions, VKT_COUNT(extensions));
    get_address = (PFN_vkGetBufferDeviceAddressKHR)vkGetDeviceProcAddr(t.device, "vkGetBufferDeviceAddressKHR");
    get_buffer_capture = (PFN_vkGetBufferOpaqueCaptureAddressKHR)vkGetDeviceProcAddr(
        t.device, "vkGetBufferOpaqueCaptureAddressKHR");
    get_memory_capture = (PFN_vkGetDeviceMemoryOpaqueCaptureAddressKHR)vkGetDeviceProcAddr(
        t.device, "vkGetDeviceMemoryOpaqueCaptureAddressKHR");
    assert_non_null(get_address);
    assert_non_null(get_buffer_capture);
    assert_non_null(get_memory_capture);
    return t;
}

/* ---------------------------------------------------------------- buffers */

struct addressed {
    struct vkt_buffer b;
    VkDeviceAddress at;
};

/* What earlier objects had; 0: any. */
struct captured {
    uint64_t buffer, memory;
};

static VkDeviceAddress address_of(struct vkt *t, VkBuffer buffer)
{
    return get_address(t->device, &(VkBufferDeviceAddressInfo){
                                      .sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, .buffer = buffer});
}

static VkResult try_create(struct vkt *t, VkDeviceSize size_B, const struct captured *replay, struct addressed *out)
{
    const VkBufferOpaqueCaptureAddressCreateInfo buffer_capture = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_OPAQUE_CAPTURE_ADDRESS_CREATE_INFO,
        .opaqueCaptureAddress = replay ? replay->buffer : 0};
    const VkMemoryOpaqueCaptureAddressAllocateInfo memory_capture = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_OPAQUE_CAPTURE_ADDRESS_ALLOCATE_INFO,
        .opaqueCaptureAddress = replay ? replay->memory : 0};
    const VkMemoryAllocateFlagsInfo flags = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
        .pNext = replay ? &memory_capture : NULL,
        .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT |
                 (replay ? VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT : 0)};
    struct vkt_buffer b = {.size_B = size_B};
    vkt_ok(vkCreateBuffer(t->device,
                          &(VkBufferCreateInfo){
                              .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                              .pNext = replay ? &buffer_capture : NULL,
                              .flags = replay ? VK_BUFFER_CREATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT : 0,
                              .size = size_B,
                              .usage = ADDRESSED},
                          NULL, &b.buffer));
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(t->device, b.buffer, &needs);
    uint32_t type = 0;
    while (!(needs.memoryTypeBits >> type & 1) ||
           !(t->memory.memoryTypes[type].propertyFlags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT))
        type++;
    VkResult result = vkAllocateMemory(t->device,
                                       &(VkMemoryAllocateInfo){.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                                               .pNext = &flags,
                                                               .allocationSize = needs.size,
                                                               .memoryTypeIndex = type},
                                       NULL, &b.memory);
    if (result != VK_SUCCESS) {
        vkDestroyBuffer(t->device, b.buffer, NULL);
        return result;
    }
    vkt_ok(vkBindBufferMemory(t->device, b.buffer, b.memory, 0));
    vkt_ok(vkMapMemory(t->device, b.memory, 0, VK_WHOLE_SIZE, 0, &b.map));
    memset(b.map, 0, size_B);
    *out = (struct addressed){b, address_of(t, b.buffer)};
    assert_true(out->at != 0);
    assert_int_equal(out->at % 64, 0);
    return VK_SUCCESS;
}

static struct addressed create(struct vkt *t, VkDeviceSize size_B)
{
    struct addressed a;
    vkt_ok(try_create(t, size_B, NULL, &a));
    return a;
}

static void destroy(struct vkt *t, struct addressed *a)
{
    vkt_buffer_destroy(t, &a->b);
}

/* ---------------------------------------------------------------- compute */

struct node {
    uint64_t next;
    uint32_t value, visits;
};

/* The second half of the list is created after the command buffer has been recorded. Some nodes share a buffer, and one
 * buffer is destroyed between recording and submission. */
static void test_list(void **state)
{
    enum { NODES = 14, FIRST = 4 };
    struct vkt t = open_device();
    struct addressed nodes[NODES], results = create(&t, 4 * 32), gone = create(&t, 4096);
    struct vkt_compute c = vkt_compute_create(&t, VKT_SHADER(addresses_list_comp), NULL, 0, 16, NULL);
    for (uint32_t i = 0; i < FIRST; i++)
        nodes[i] = create(&t, 2 * sizeof(struct node));
    const uint64_t push[2] = {nodes[0].at + sizeof(struct node), results.at};
    VkCommandBuffer cmd = vkt_begin(&t);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, c.pipeline);
    vkCmdPushConstants(cmd, c.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push, push);
    vkCmdDispatch(cmd, 1, 1, 1);
    vkt_ok(vkEndCommandBuffer(cmd));
    destroy(&t, &gone);
    for (uint32_t i = FIRST; i < NODES; i++)
        nodes[i] = create(&t, i == 9 ? 1 << 20 : 2 * sizeof(struct node));
    for (uint32_t i = 0; i < NODES; i++) {
        struct node *n = nodes[i].b.map;
        n[1] = (struct node){i + 1 < NODES ? nodes[i + 1].at + sizeof *n : 0, 10 + i * i, 0};
    }
    for (uint32_t round = 1; round <= 2; round++) {
        vkt_submit(&t, cmd);
        const uint32_t *got = results.b.map;
        for (uint32_t i = 0, sum = 0; i < 16; i++) {
            sum += i < NODES ? 10 + i * i : 0;
            assert_int_equal(got[i], sum);
            assert_int_equal(got[16 + i], 10 + (NODES - 1) * (NODES - 1));
        }
        for (uint32_t i = 0; i < NODES; i++)
            assert_int_equal(((struct node *)nodes[i].b.map)[1].visits, 16 * round);
    }
    vkFreeCommandBuffers(t.device, t.pool, 1, &cmd);
    for (uint32_t i = 0; i < NODES; i++)
        destroy(&t, &nodes[i]);
    destroy(&t, &results);
    vkt_compute_destroy(&t, &c);
    vkt_device_close(&t);
}

static void dispatch_to(struct vkt *t, const struct vkt_compute *c, uint64_t anywhere, const struct addressed *results)
{
    const uint64_t push[2] = {anywhere, results->at};
    VkCommandBuffer cmd = vkt_begin(t);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, c->pipeline);
    vkCmdPushConstants(cmd, c->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push, push);
    vkCmdDispatch(cmd, 1, 1, 1);
    vkt_end_submit(t, cmd);
}

/* Addresses outside of all memory: loads give zero and stores are dropped. Among them are the low addresses, where the
 * driver keeps code and streams of the very job. */
static void test_wild(void **state)
{
    struct vkt t = open_device();
    struct addressed results = create(&t, 64), real = create(&t, 64), freed = create(&t, 1 << 20);
    struct vkt_compute c = vkt_compute_create(&t, VKT_SHADER(addresses_wild_comp), NULL, 0, 16, NULL);
    const uint64_t freed_at = freed.at;
    destroy(&t, &freed);
    const uint64_t wild[] = {0, 64, 0x10000, 0x11000, 0x40000, 0x100000, freed_at, real.at | UINT64_C(1) << 32,
                             real.at | UINT64_C(1) << 63, UINT64_C(0xffffffffffffff00), 0xffffff00, 0xffff0000};
    for (uint32_t k = 0; k < VKT_COUNT(wild); k++) {
        memset(results.b.map, 0, 64);
        dispatch_to(&t, &c, wild[k], &results);
        for (uint32_t i = 0; i < 16; i++)
            assert_int_equal(((uint32_t *)results.b.map)[i], 1);
    }
    dispatch_to(&t, &c, real.at, &results);
    for (uint32_t i = 0; i < 16; i++) {
        assert_int_equal(((uint32_t *)results.b.map)[i], 0x55555556);
        assert_int_equal(((uint32_t *)real.b.map)[i], 0x55555555);
    }
    vkt_compute_destroy(&t, &c);
    destroy(&t, &results);
    destroy(&t, &real);
    vkt_device_close(&t);
}

static void test_variable_pointers(void **state)
{
    struct vkt t = open_device();
    struct vkt_buffer buffers[3];
    for (uint32_t k = 0; k < 3; k++)
        buffers[k] = vkt_storage_buffer(&t, 16, 0);
    uint32_t *a = buffers[0].map, *b = buffers[1].map;
    for (uint32_t i = 0; i < 16; i++) {
        a[i] = 100 + i;
        b[i] = 200 + i;
    }
    struct vkt_compute c = vkt_compute_create_simple(&t, VKT_SHADER(pointers_comp), 3, 0, NULL);
    VkDescriptorSet set = vkt_compute_set(&t, &c, buffers, 3);
    VkCommandBuffer cmd = vkt_begin(&t);
    vkt_compute_bind(cmd, &c, &set);
    vkCmdDispatch(cmd, 1, 1, 1);
    vkt_end_submit(&t, cmd);
    for (uint32_t i = 0; i < 16; i++) {
        assert_int_equal(a[i], (100 + i) << !(i & 1));
        assert_int_equal(b[i], (200 + i) << (i & 1));
        assert_int_equal(((uint32_t *)buffers[2].map)[i], (i & 1 ? 200 : 100) + i);
    }
    vkt_compute_destroy(&t, &c);
    for (uint32_t k = 0; k < 3; k++)
        vkt_buffer_destroy(&t, &buffers[k]);
    vkt_device_close(&t);
}

/* ---------------------------------------------------------------- graphics */

#define SIZE 32

/* Draws a square of two triangles whose vertices and colours are found by address. `fs` may count the fragments. */
static void draw(struct vkt *t, struct vkt_shader fs, bool counts)
{
    struct addressed vertices = create(t, 48), colours = create(t, 32), counter = create(t, 4);
    const float corners[12] = {-1, -1, 1, -1, -1, 1, 1, -1, -1, 1, 1, 1}, rgba[8] = {1, 0, 0, 1, 0, 0, 1, 1};
    memcpy(vertices.b.map, corners, sizeof corners);
    memcpy(colours.b.map, rgba, sizeof rgba);
    struct vkt_target target = vkt_target_create(t, SIZE, SIZE, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline pipeline = vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(addresses_vert),
                                                                                      .fs = fs,
                                                                                      .pass = target.pass,
                                                                                      .topology = VKT_TRIANGLES,
                                                                                      .width = SIZE,
                                                                                      .height = SIZE,
                                                                                      .push_size_B = 24});
    const uint64_t push[3] = {vertices.at, colours.at, counter.at};
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (float[]){0, 0, 0, 0}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.pipeline);
    vkCmdPushConstants(cmd, pipeline.layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, sizeof push,
                       push);
    vkCmdDraw(cmd, 6, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    struct vkt_picture got = vkt_read_target(t, &target);
    for (uint32_t y = 0; y < SIZE; y++)
        for (uint32_t x = 0; x < SIZE; x++) {
            const uint8_t *p = got.rgba + 4 * (y * SIZE + x);
            if (x + y + 1 == SIZE)
                continue; /* the diagonal belongs to either */
            assert_int_equal(p[0], x + y + 1 < SIZE ? 255 : 0);
            assert_int_equal(p[2], x + y + 1 < SIZE ? 0 : 255);
        }
    assert_int_equal(*(uint32_t *)counter.b.map, counts ? SIZE * SIZE : 0);
    vkt_picture_free(&got);
    vkt_pipeline_destroy(t, &pipeline);
    vkt_target_destroy(t, &target);
    destroy(t, &vertices);
    destroy(t, &colours);
    destroy(t, &counter);
}

static void test_draws(void **state)
{
    struct vkt t = open_device();
    draw(&t, VKT_SHADER(addresses_frag), false);
    draw(&t, VKT_SHADER(addresses_counts_frag), true);
    vkt_device_close(&t);
}

/* ---------------------------------------------------------------- capture and replay */

static struct captured capture(struct vkt *t, const struct addressed *a)
{
    const VkBufferDeviceAddressInfo buffer = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                              .buffer = a->b.buffer};
    const VkDeviceMemoryOpaqueCaptureAddressInfo memory = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_MEMORY_OPAQUE_CAPTURE_ADDRESS_INFO, .memory = a->b.memory};
    const struct captured captured = {get_buffer_capture(t->device, &buffer), get_memory_capture(t->device, &memory)};
    assert_true(captured.buffer && captured.memory);
    return captured;
}

static uint64_t size_of(uint32_t i)
{
    return (i * 37 % 11 + 1) * (i % 3 ? 700 : 9000) + (i == 5 ? 3 << 20 : 0);
}

/* All objects are created again, in another order and after others, with the addresses that they had. */
static void test_replay(void **state)
{
    enum { COUNT = 24 };
    struct vkt t = open_device();
    static const struct captured none;
    struct addressed first[COUNT], again[COUNT], others[COUNT];
    struct captured captured[COUNT];
    uint64_t at[COUNT];
    for (uint32_t i = 0; i < COUNT; i++)
        vkt_ok(try_create(&t, size_of(i), &none, &first[i]));
    for (uint32_t i = 0; i < COUNT; i++) {
        captured[i] = capture(&t, &first[i]);
        at[i] = first[i].at;
        for (uint32_t k = 0; k < i; k++)
            assert_true(at[k] + size_of(k) <= at[i] || at[i] + size_of(i) <= at[k]);
    }
    for (uint32_t i = 0; i < COUNT; i++)
        destroy(&t, &first[i]);
    for (uint32_t i = 0; i < COUNT; i++) /* without the flag: they take none of the addresses */
        others[i] = create(&t, size_of(i));
    for (uint32_t n = 0; n < COUNT; n++) {
        const uint32_t i = (n * 7 + 3) % COUNT;
        vkt_ok(try_create(&t, size_of(i), &captured[i], &again[i]));
        assert_true(again[i].at == at[i]);
        assert_true(capture(&t, &again[i]).memory == captured[i].memory);
    }
    struct addressed taken;
    assert_int_equal(try_create(&t, size_of(2), &captured[2], &taken), VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS);
    for (uint32_t i = 0; i < COUNT; i++) {
        destroy(&t, &again[i]);
        destroy(&t, &others[i]);
    }
    vkt_device_close(&t);
}

/* Another device stands for another run of the application. */
static void test_replay_on_another_device(void **state)
{
    struct vkt first = open_device();
    static const struct captured none;
    struct addressed a;
    vkt_ok(try_create(&first, 5000, &none, &a));
    const struct captured captured = capture(&first, &a);
    const uint64_t at = a.at;
    destroy(&first, &a);
    vkt_device_close(&first);
    struct vkt second = open_device();
    struct addressed other = create(&second, 1 << 20), again;
    vkt_ok(try_create(&second, 5000, &captured, &again));
    assert_true(again.at == at);
    destroy(&second, &again);
    destroy(&second, &other);
    vkt_device_close(&second);
}

/* Applications that forget the flag of the memory: the buffer has an address all the same. */
static void test_memory_without_the_flag(void **state)
{
    struct vkt t = open_device();
    vkt_accept_message(vkt_device(VKT_TESTED), "VUID-vkBindBufferMemory-bufferDeviceAddress-03339");
    struct addressed results = create(&t, 64);
    struct vkt_compute c = vkt_compute_create(&t, VKT_SHADER(addresses_wild_comp), NULL, 0, 16, NULL);
    struct vkt_buffer b = vkt_buffer_create(&t, 64, ADDRESSED, NULL);
    dispatch_to(&t, &c, address_of(&t, b.buffer), &results);
    for (uint32_t i = 0; i < 16; i++)
        assert_int_equal(((uint32_t *)b.map)[i], 0x55555555);
    vkt_compute_destroy(&t, &c);
    vkt_buffer_destroy(&t, &b);
    destroy(&t, &results);
    vkt_device_close(&t);
}

int main(void)
{
    vkt_request_version(VK_API_VERSION_1_1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_list, vkt_check_messages),
        cmocka_unit_test_teardown(test_wild, vkt_check_messages),
        cmocka_unit_test_teardown(test_variable_pointers, vkt_check_messages),
        cmocka_unit_test_teardown(test_draws, vkt_check_messages),
        cmocka_unit_test_teardown(test_replay, vkt_check_messages),
        cmocka_unit_test_teardown(test_replay_on_another_device, vkt_check_messages),
        cmocka_unit_test_teardown(test_memory_without_the_flag, vkt_check_messages),
    };
    return cmocka_run_group_tests(tests, NULL, vkt_teardown);
}
