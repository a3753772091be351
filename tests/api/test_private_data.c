/* SPDX-License-Identifier: MIT
 *
 * VK_EXT_private_data.
 */
#include <stdio.h>
#include "vkt.h"

static struct vkt device;

#define FUNCTION(name) ((PFN_##name)load(#name))

static PFN_vkVoidFunction load(const char *name)
{
    PFN_vkVoidFunction function = vkGetDeviceProcAddr(device.device, name);
    if (!function)
        function = vkGetInstanceProcAddr(device.instance, name);
    if (!function)
        fail_msg("%s is missing", name);
    return function;
}

static int open_device(void **state)
{
    const char *const extension = VK_EXT_PRIVATE_DATA_EXTENSION_NAME;
    device = vkt_device_create_with(vkt_device(VKT_TESTED), &extension, 1);
    return 0;
}

static int close_device(void **state)
{
    vkt_device_close(&device);
    return vkt_teardown(state);
}

static VkPrivateDataSlotEXT create_slot(void)
{
    VkPrivateDataSlotEXT slot;
    const VkPrivateDataSlotCreateInfoEXT info = {.sType = VK_STRUCTURE_TYPE_PRIVATE_DATA_SLOT_CREATE_INFO_EXT};
    vkt_ok(FUNCTION(vkCreatePrivateDataSlotEXT)(device.device, &info, NULL, &slot));
    return slot;
}

static uint64_t get(VkObjectType type, uint64_t object, VkPrivateDataSlotEXT slot)
{
    uint64_t data = 77;
    FUNCTION(vkGetPrivateDataEXT)(device.device, type, object, slot, &data);
    return data;
}

static void set(VkObjectType type, uint64_t object, VkPrivateDataSlotEXT slot, uint64_t data)
{
    vkt_ok(FUNCTION(vkSetPrivateDataEXT)(device.device, type, object, slot, data));
}

#define HANDLE(object) ((uint64_t)(uintptr_t)(object))

/* Objects with and without a common base in the driver, in two slots. */
static void objects_keep_data(void **state)
{
    VkPrivateDataSlotEXT slots[] = {create_slot(), create_slot()};
    struct vkt_buffer buffer = vkt_buffer_create(&device, 64, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, NULL);
    VkCommandBuffer cmd = vkt_begin(&device);
    vkt_ok(vkEndCommandBuffer(cmd));
    VkFence fence;
    VkSemaphore semaphore;
    VkEvent event;
    VkQueryPool pool;
    vkt_ok(
        vkCreateFence(device.device, &(VkFenceCreateInfo){.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO}, NULL, &fence));
    vkt_ok(vkCreateSemaphore(device.device, &(VkSemaphoreCreateInfo){.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO},
                             NULL, &semaphore));
    vkt_ok(
        vkCreateEvent(device.device, &(VkEventCreateInfo){.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO}, NULL, &event));
    vkt_ok(vkCreateQueryPool(device.device,
                             &(VkQueryPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                                      .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                                      .queryCount = 1},
                             NULL, &pool));
    const struct {
        VkObjectType type;
        uint64_t handle;
    } objects[] = {
        {VK_OBJECT_TYPE_DEVICE, HANDLE(device.device)}, {VK_OBJECT_TYPE_QUEUE, HANDLE(device.queue)},
        {VK_OBJECT_TYPE_COMMAND_BUFFER, HANDLE(cmd)},   {VK_OBJECT_TYPE_COMMAND_POOL, HANDLE(device.pool)},
        {VK_OBJECT_TYPE_BUFFER, HANDLE(buffer.buffer)}, {VK_OBJECT_TYPE_DEVICE_MEMORY, HANDLE(buffer.memory)},
        {VK_OBJECT_TYPE_FENCE, HANDLE(fence)},          {VK_OBJECT_TYPE_SEMAPHORE, HANDLE(semaphore)},
        {VK_OBJECT_TYPE_EVENT, HANDLE(event)},          {VK_OBJECT_TYPE_QUERY_POOL, HANDLE(pool)}};
    for (uint32_t i = 0; i < VKT_COUNT(objects); i++) {
        assert_true(!get(objects[i].type, objects[i].handle, slots[0]));
        set(objects[i].type, objects[i].handle, slots[0], i + 1);
        set(objects[i].type, objects[i].handle, slots[1], UINT64_MAX - i);
    }
    for (uint32_t i = 0; i < VKT_COUNT(objects); i++) {
        assert_true(get(objects[i].type, objects[i].handle, slots[0]) == i + 1);
        assert_true(get(objects[i].type, objects[i].handle, slots[1]) == UINT64_MAX - i);
        set(objects[i].type, objects[i].handle, slots[0], 0);
        assert_true(get(objects[i].type, objects[i].handle, slots[0]) == 0);
        assert_true(get(objects[i].type, objects[i].handle, slots[1]) == UINT64_MAX - i);
    }
    FUNCTION(vkDestroyPrivateDataSlotEXT)(device.device, slots[1], NULL);
    slots[1] = create_slot();
    for (uint32_t i = 0; i < VKT_COUNT(objects); i++)
        assert_true(!get(objects[i].type, objects[i].handle, slots[1]));
    vkDestroyQueryPool(device.device, pool, NULL);
    vkDestroyEvent(device.device, event, NULL);
    vkDestroySemaphore(device.device, semaphore, NULL);
    vkDestroyFence(device.device, fence, NULL);
    vkFreeCommandBuffers(device.device, device.pool, 1, &cmd);
    vkt_buffer_destroy(&device, &buffer);
    for (uint32_t i = 0; i < 2; i++)
        FUNCTION(vkDestroyPrivateDataSlotEXT)(device.device, slots[i], NULL);
}

/* An object that lies where another one did has no data. */
static void new_objects_have_no_data(void **state)
{
    VkPrivateDataSlotEXT slot = create_slot();
    uint64_t handles[64] = {0};
    uint32_t repeated = 0;
    for (uint32_t i = 0; i < VKT_COUNT(handles); i++) {
        VkFence fence;
        vkt_ok(vkCreateFence(device.device, &(VkFenceCreateInfo){.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO}, NULL,
                             &fence));
        handles[i] = HANDLE(fence);
        for (uint32_t k = 0; k < i; k++)
            repeated += handles[k] == handles[i];
        assert_true(!get(VK_OBJECT_TYPE_FENCE, handles[i], slot));
        set(VK_OBJECT_TYPE_FENCE, handles[i], slot, 5);
        vkDestroyFence(device.device, fence, NULL);
    }
    printf("# %u of %u objects had the handle of an earlier one\n", repeated, (uint32_t)VKT_COUNT(handles));
    FUNCTION(vkDestroyPrivateDataSlotEXT)(device.device, slot, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(objects_keep_data, vkt_check_messages),
        cmocka_unit_test_teardown(new_objects_have_no_data, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("api_private_data", tests, open_device, close_device);
}
