/* SPDX-License-Identifier: MIT
 *
 * Storage images and texel buffers of 64-bit integers: loads, stores and every atomic. The results are the host's.
 */
#include <inttypes.h>
#include <string.h>
#include "vkt.h"
#include "int64_image_null.comp.h"
#include "int64_images.comp.h"

enum { COLUMNS = 8, ROWS = 5, INVOCATIONS = 256, LIST = 8 + INVOCATIONS };

#define COMPUTE VK_SHADER_STAGE_COMPUTE_BIT

static struct vkt device; /* with the extensions */

static const uint64_t first[COLUMNS] = {UINT64_MAX - 5, UINT64_MAX, 3, UINT64_MAX, 0, 1, 5, 77};

static uint64_t operand(uint32_t i)
{
    return (uint64_t)i << 33 | (uint64_t)(3 - i % 4) << 20 | (i + 1);
}

static int64_t signed_operand(uint32_t i)
{
    return (int64_t)operand(i) * (i % 2 ? 1 : -1);
}

static uint64_t unchanged(uint32_t x)
{
    return UINT64_C(0xfedcba9800000000) * (x + 1) + x;
}

/* -- resources ----------------------------------------------------------------------------------------------------- */

static struct vkt_image create_image(struct vkt *t, VkFormat format, const void *texels)
{
    struct vkt_image image = vkt_image_create(t, &(struct vkt_image_info){.format = format,
                                                                          .width = COLUMNS,
                                                                          .height = ROWS,
                                                                          .usage = VK_IMAGE_USAGE_STORAGE_BIT |
                                                                                   VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                                                                                   VK_IMAGE_USAGE_TRANSFER_DST_BIT});
    struct vkt_buffer staging = vkt_buffer_create(t, 8 * COLUMNS * ROWS, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, texels);
    const VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                      .imageExtent = {COLUMNS, ROWS, 1}};
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_image_barrier(cmd, &image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    vkCmdCopyBufferToImage(cmd, staging.buffer, image.image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
    vkt_end_submit(t, cmd);
    vkt_buffer_destroy(t, &staging);
    return image;
}

static VkBufferView create_view(struct vkt *t, const struct vkt_buffer *buffer)
{
    VkBufferView view;
    vkt_ok(vkCreateBufferView(t->device,
                              &(VkBufferViewCreateInfo){.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
                                                        .buffer = buffer->buffer,
                                                        .format = VK_FORMAT_R64_UINT,
                                                        .range = VK_WHOLE_SIZE},
                              NULL, &view));
    return view;
}

/* -- what the host computes ---------------------------------------------------------------------------------------- */

static uint64_t combine(uint32_t column, uint64_t a, uint64_t x)
{
    switch (column) {
    case 0:
        return a + x;
    case 1:
        return x < a ? x : a;
    case 2:
        return x > a ? x : a;
    case 3:
        return a & ~x;
    case 4:
        return a | x;
    default:
        return a ^ x;
    }
}

static bool is_operand_of_row(uint64_t x, uint32_t row)
{
    for (uint32_t i = row; i < INVOCATIONS; i += 4)
        if (operand(i) == x)
            return true;
    return false;
}

static void check(const char *what, uint32_t at, uint64_t got, uint64_t want)
{
    if (got != want)
        fail_msg("%s %u: %" PRIx64 " instead of %" PRIx64, what, at, got, want);
}

static void check_words(uint64_t words[ROWS][COLUMNS])
{
    for (uint32_t row = 0; row < 4; row++) {
        for (uint32_t column = 0; column < 6; column++) {
            uint64_t want = first[column];
            for (uint32_t i = row; i < INVOCATIONS; i += 4)
                want = combine(column, want, operand(i));
            check("word", COLUMNS * row + column, words[row][column], want);
        }
        assert_true(is_operand_of_row(words[row][6], row)); /* by the one that found 5 */
        assert_true(is_operand_of_row(words[row][7], row));
    }
    for (uint32_t x = 0; x < COLUMNS; x++)
        check("unchanged word", x, words[4][x], unchanged(x));
}

static void check_numbers(int64_t numbers[ROWS][COLUMNS])
{
    for (uint32_t row = 0; row < 4; row++) {
        int64_t least = 0, greatest = 0;
        for (uint32_t i = row; i < INVOCATIONS; i += 4) {
            least = signed_operand(i) < least ? signed_operand(i) : least;
            greatest = signed_operand(i) > greatest ? signed_operand(i) : greatest;
        }
        check("least number", row, (uint64_t)numbers[row][0], (uint64_t)least);
        check("greatest number", row, (uint64_t)numbers[row][1], (uint64_t)greatest);
        for (uint32_t x = 2; x < COLUMNS; x++)
            check("unchanged number", x, (uint64_t)numbers[row][x], 0);
    }
}

static void check_list(const uint64_t *list)
{
    for (uint32_t k = 0; k < 8; k++) {
        uint64_t sum = 0;
        for (uint32_t i = k; i < INVOCATIONS; i += 8)
            sum += operand(i);
        check("sum", k, list[k], sum);
    }
    for (uint32_t i = 0; i < INVOCATIONS; i++)
        check("stored number", i, list[8 + i], unchanged(i % 4) + operand(i));
}

/* -- the test ------------------------------------------------------------------------------------------------------ */

static void dispatch(struct vkt *t, const struct vkt_image images[2], VkBufferView view,
                     const struct vkt_buffer *counts)
{
    const struct vkt_binding bindings[] = {{VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, COMPUTE, 1},
                                           {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, COMPUTE, 1},
                                           {VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, COMPUTE, 1},
                                           {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, COMPUTE, 1}};
    VkDescriptorSetLayout layout = vkt_set_layout_create(t, bindings, 4);
    struct vkt_compute c = vkt_compute_create(t, VKT_SHADER(int64_images_comp), &layout, 1, 0, NULL);
    VkDescriptorSet set = vkt_set_alloc(t, layout);
    vkt_set_image(t, set, 0, 0, images[0].view);
    vkt_set_image(t, set, 1, 0, images[1].view);
    vkt_set_texel_buffer(t, set, 2, VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, view);
    vkt_set_buffer(t, set, 3, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, counts->buffer, 0, VK_WHOLE_SIZE);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_compute_bind(cmd, &c, &set);
    vkCmdDispatch(cmd, INVOCATIONS / 64, 1, 1);
    for (uint32_t i = 0; i < 2; i++)
        vkt_image_barrier(cmd, &images[i], VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkt_barrier_all(cmd);
    vkt_end_submit(t, cmd);
    vkt_compute_destroy(t, &c);
}

static void every_operation(void **state)
{
    struct vkt *t = &device;
    uint64_t words[ROWS][COLUMNS];
    int64_t numbers[ROWS][COLUMNS] = {{0}};
    for (uint32_t row = 0; row < ROWS; row++)
        for (uint32_t x = 0; x < COLUMNS; x++)
            words[row][x] = row < 4 ? first[x] : unchanged(x);
    struct vkt_image images[] = {create_image(t, VK_FORMAT_R64_UINT, words),
                                 create_image(t, VK_FORMAT_R64_SINT, numbers)};
    struct vkt_buffer list = vkt_storage_buffer(t, 2 * LIST, VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT);
    struct vkt_buffer counts = vkt_storage_buffer(t, 4, 0);
    VkBufferView view = create_view(t, &list);
    dispatch(t, images, view, &counts);
    vkt_read_image(t, &images[0], 0, 0, words, sizeof words);
    vkt_read_image(t, &images[1], 0, 0, numbers, sizeof numbers);
    check_words(words);
    check_numbers(numbers);
    check_list(list.map);
    for (uint32_t row = 0; row < 4; row++)
        assert_int_equal(((const uint32_t *)counts.map)[row], 1);
    vkDestroyBufferView(t->device, view, NULL);
    vkt_buffer_destroy(t, &list);
    vkt_buffer_destroy(t, &counts);
    vkt_image_destroy(t, &images[0]);
    vkt_image_destroy(t, &images[1]);
}

static void clears(void **state)
{
    struct vkt *t = &device;
    uint64_t texels[ROWS][COLUMNS] = {{0}};
    struct vkt_image image = create_image(t, VK_FORMAT_R64_UINT, texels);
    const VkClearColorValue color = {.uint32 = {0x89abcdef, 0x01234567}}; /* the first two words are the texel */
    const VkImageSubresourceRange range = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    VkCommandBuffer cmd = vkt_begin(t);
    vkCmdClearColorImage(cmd, image.image, VK_IMAGE_LAYOUT_GENERAL, &color, 1, &range);
    vkt_image_barrier(cmd, &image, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkt_end_submit(t, cmd);
    vkt_read_image(t, &image, 0, 0, texels, sizeof texels);
    for (uint32_t i = 0; i < ROWS * COLUMNS; i++)
        check("texel", i, texels[i / COLUMNS][i % COLUMNS], UINT64_C(0x0123456789abcdef));
    vkt_image_destroy(t, &image);
}

/* Missing channels of a texel are 0, 0, 1; where there is no image, all are 0. */
static void null_descriptors_give_zero(void **state)
{
    const char *const extensions[] = {VK_KHR_SHADER_ATOMIC_INT64_EXTENSION_NAME, VK_EXT_ROBUSTNESS_2_EXTENSION_NAME,
                                      VK_EXT_SHADER_IMAGE_ATOMIC_INT64_EXTENSION_NAME};
    VkPhysicalDeviceRobustness2FeaturesEXT features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT, .nullDescriptor = VK_TRUE};
    struct vkt own = vkt_device_create_chain(vkt_device(VKT_TESTED), extensions, VKT_COUNT(extensions), &features);
    struct vkt *t = &own;
    uint64_t words[ROWS][COLUMNS];
    for (uint32_t i = 0; i < ROWS * COLUMNS; i++)
        words[i / COLUMNS][i % COLUMNS] = unchanged(i);
    struct vkt_image image = create_image(t, VK_FORMAT_R64_UINT, words);
    const struct vkt_binding bindings[] = {{VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, COMPUTE, 1},
                                           {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, COMPUTE, 1}};
    for (uint32_t i = 0; i < 2; i++) {
        VkDescriptorSetLayout layout = vkt_set_layout_create(t, bindings, 2);
        struct vkt_compute c = vkt_compute_create(t, VKT_SHADER(int64_image_null_comp), &layout, 1, 0, NULL);
        struct vkt_buffer out = vkt_storage_buffer(t, 8, 0);
        VkDescriptorSet set = vkt_set_alloc(t, layout);
        vkt_set_image(t, set, 0, 0, i ? VK_NULL_HANDLE : image.view);
        vkt_set_buffer(t, set, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, out.buffer, 0, VK_WHOLE_SIZE);
        VkCommandBuffer cmd = vkt_begin(t);
        vkt_compute_bind(cmd, &c, &set);
        vkCmdDispatch(cmd, 1, 1, 1);
        vkt_barrier_all(cmd);
        vkt_end_submit(t, cmd);
        for (uint32_t channel = 0; channel < 4; channel++)
            check("channel", channel, ((const uint64_t *)out.map)[channel],
                  i              ? 0
                  : channel == 0 ? words[2][1]
                                 : channel == 3);
        vkt_compute_destroy(t, &c);
        vkt_buffer_destroy(t, &out);
    }
    vkt_image_destroy(t, &image);
    vkt_device_close(&own);
}

static void features_say_so(void **state)
{
    VkPhysicalDeviceShaderImageAtomicInt64FeaturesEXT atomics = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_IMAGE_ATOMIC_INT64_FEATURES_EXT};
    VkPhysicalDeviceFeatures2 has = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &atomics};
    vkGetPhysicalDeviceFeatures2(vkt_device(VKT_TESTED)->physical, &has);
    assert_true(atomics.shaderImageInt64Atomics);
    const VkFormatFeatureFlags wanted =
        VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT | VK_FORMAT_FEATURE_STORAGE_IMAGE_ATOMIC_BIT;
    for (VkFormat format = VK_FORMAT_R64_UINT; format <= VK_FORMAT_R64_SINT; format++) {
        VkFormatProperties p;
        vkGetPhysicalDeviceFormatProperties(vkt_device(VKT_TESTED)->physical, format, &p);
        assert_int_equal(p.optimalTilingFeatures & wanted, wanted);
        assert_int_equal(p.optimalTilingFeatures & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT, 0);
    }
}

static int open_device(void **state)
{
    const char *const extensions[] = {VK_KHR_SHADER_ATOMIC_INT64_EXTENSION_NAME,
                                      VK_EXT_SHADER_IMAGE_ATOMIC_INT64_EXTENSION_NAME};
    device = vkt_device_create_with(vkt_device(VKT_TESTED), extensions, VKT_COUNT(extensions));
    return 0;
}

static int close_device(void **state)
{
    vkt_device_close(&device);
    return vkt_teardown(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_operation, vkt_check_messages),
        cmocka_unit_test_teardown(clears, vkt_check_messages),
        cmocka_unit_test_teardown(null_descriptors_give_zero, vkt_check_messages),
        cmocka_unit_test_teardown(features_say_so, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("int64_images", tests, open_device, close_device);
}
