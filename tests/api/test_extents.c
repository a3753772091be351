/* SPDX-License-Identifier: MIT
 *
 * Images of the greatest extents that the limits allow, in each direction, in both, and in layers: single texels are
 * written, copied, blitted, sampled and read back. Only the pages of those texels
 * are ever touched, so the largest image takes little memory.
 */
#include <string.h>
#include "vkt.h"
#include "extents.comp.h"

#define PLACES 16u

static const struct extent {
    const char *name;
    uint32_t width, height, layers;
    enum kind { PLAIN, LINE, CUBE } kind;
} extents[] = {
    {"wide", 16384, 4, 1, PLAIN},
    {"high", 4, 16384, 1, PLAIN},
    {"both", 16384, 16384, 1, PLAIN},
    {"deep", 8, 8, 2048, PLAIN},
    {"wide and deep", 16384, 4, 300, PLAIN},
    {"line", 16384, 1, 1, LINE},
    {"lines", 16384, 1, 2048, LINE},
    {"cube", 16384, 16384, 6, CUBE},
};

struct place {
    int32_t x, y, layer, filters;
};

/* The corners of the first, the last and some other layers, and places in between. */
static struct place place_of(const struct extent *e, uint32_t i)
{
    const uint32_t x = i & 1   ? e->width - 1
                       : i & 4 ? e->width / 2 + i
                               : 0,
                   y = i & 2   ? e->height - 1
                       : i & 4 ? e->height / 2
                       : i & 8 ? 1 % e->height
                               : 0,
                   layer = i < 4    ? 0
                           : i < 8  ? e->layers - 1
                           : i < 12 ? e->layers / 2
                                    : i * 19 % e->layers;
    return (struct place){(int32_t)(x < e->width ? x : e->width - 2), (int32_t)y, (int32_t)layer, i >> 3 & 1};
}

/* Places that are the same one have the same value. */
static uint8_t value_of(const struct place *p)
{
    return (uint8_t)(1 + (p->x * 7 + p->y * 13 + p->layer * 29) % 251);
}

static VkBufferImageCopy region_of(const struct place *p, uint32_t at_B)
{
    return (VkBufferImageCopy){.bufferOffset = at_B,
                               .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, (uint32_t)p->layer, 1},
                               .imageOffset = {p->x, p->y, 0},
                               .imageExtent = {1, 1, 1}};
}

static VkImageSubresourceLayers layer_of(uint32_t layer)
{
    return (VkImageSubresourceLayers){VK_IMAGE_ASPECT_COLOR_BIT, 0, layer, 1};
}

static struct vkt_image image_of(struct vkt *t, const struct extent *e)
{
    return vkt_image_create(
        t, &(struct vkt_image_info){.format = VK_FORMAT_R8_UNORM,
                                    .width = e->width,
                                    .height = e->height,
                                    .layers = e->layers,
                                    .line = e->kind == LINE,
                                    .array = true,
                                    .flags = e->kind == CUBE ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0,
                                    .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                                             VK_IMAGE_USAGE_TRANSFER_DST_BIT});
}

/* Whether the heap has room for two of the images, whose rows come in tiles of eight. */
static bool fits(const struct vkt *t, const struct extent *e)
{
    const uint32_t rows = (e->height + 7) / 8 * 8;
    return (VkDeviceSize)e->width * rows * e->layers <= t->memory.memoryHeaps[0].size / 16 * 7;
}

static void sample(struct vkt *t, const struct extent *e, const struct vkt_image *image, const uint8_t *expected)
{
    const struct vkt_binding bindings[] = {{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_SHADER_STAGE_COMPUTE_BIT, 1},
                                           {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_SHADER_STAGE_COMPUTE_BIT, 1},
                                           {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_SHADER_STAGE_COMPUTE_BIT, 1}};
    VkDescriptorSetLayout layout = vkt_set_layout_create(t, bindings, VKT_COUNT(bindings));
    struct vkt_compute c = vkt_compute_create(t, VKT_SHADER(extents_comp), &layout, 1, 0, NULL);
    VkSampler sampler = vkt_sampler_create(t, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                           VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, 0);
    struct vkt_buffer at = vkt_storage_buffer(t, 4 * PLACES, 0), values = vkt_storage_buffer(t, PLACES, 0);
    for (uint32_t i = 0; i < PLACES; i++)
        ((struct place *)at.map)[i] = place_of(e, i);
    VkDescriptorSet set = vkt_set_alloc(t, c.set_layouts[0]);
    vkt_set_texture(t, set, 0, image->view, sampler);
    vkt_set_buffer(t, set, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, at.buffer, 0, VK_WHOLE_SIZE);
    vkt_set_buffer(t, set, 2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, values.buffer, 0, VK_WHOLE_SIZE);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_image_barrier(cmd, image, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    vkt_compute_bind(cmd, &c, &set);
    vkCmdDispatch(cmd, 1, 1, 1);
    vkt_image_barrier(cmd, image, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, VK_IMAGE_LAYOUT_GENERAL);
    vkt_barrier_all(cmd);
    vkt_end_submit(t, cmd);
    for (uint32_t i = 0; i < PLACES; i++)
        if ((uint32_t)(((const float *)values.map)[i] + 0.5f) != expected[i])
            fail_msg("%s, place %u: sampled %g, expected %u", e->name, i, (double)((const float *)values.map)[i],
                     expected[i]);
    vkDestroySampler(t->device, sampler, NULL);
    vkt_compute_destroy(t, &c);
    vkt_buffer_destroy(t, &at);
    vkt_buffer_destroy(t, &values);
}

static void read_back(struct vkt *t, const struct extent *e, const struct vkt_image *image, const uint8_t *expected,
                      const char *what)
{
    struct vkt_buffer back = vkt_storage_buffer(t, PLACES, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
    VkBufferImageCopy regions[PLACES];
    for (uint32_t i = 0; i < PLACES; i++) {
        const struct place p = place_of(e, i);
        regions[i] = region_of(&p, 4 * i);
    }
    VkCommandBuffer cmd = vkt_begin(t);
    vkCmdCopyImageToBuffer(cmd, image->image, VK_IMAGE_LAYOUT_GENERAL, back.buffer, PLACES, regions);
    vkt_barrier_all(cmd);
    vkt_end_submit(t, cmd);
    for (uint32_t i = 0; i < PLACES; i++)
        if (((const uint8_t *)back.map)[4 * i] != expected[i])
            fail_msg("%s, %s, place %u: %u, expected %u", e->name, what, i, ((const uint8_t *)back.map)[4 * i],
                     expected[i]);
    vkt_buffer_destroy(t, &back);
}

/* Writes the places of an image. */
static void write_places(struct vkt *t, const struct extent *e, const struct vkt_image *image, uint8_t *expected)
{
    struct vkt_buffer from = vkt_storage_buffer(t, PLACES, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_image_barrier(cmd, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    for (uint32_t i = 0; i < PLACES; i++) {
        const struct place p = place_of(e, i);
        const VkBufferImageCopy region = region_of(&p, 4 * i);
        expected[i] = value_of(&p);
        ((uint8_t *)from.map)[4 * i] = expected[i];
        vkCmdCopyBufferToImage(cmd, from.buffer, image->image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
        vkt_barrier_all(cmd); /* some places are the same */
    }
    vkt_end_submit(t, cmd);
    vkt_buffer_destroy(t, &from);
}

/* Copies and blits the places to another image of the same extent. */
static void copy_places(struct vkt *t, const struct extent *e, const struct vkt_image *from, const struct vkt_image *to,
                        bool blits)
{
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_image_barrier(cmd, to, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    vkt_barrier_all(cmd);
    for (uint32_t i = 0; i < PLACES; i++) {
        const struct place p = place_of(e, i);
        const VkOffset3D begin = {p.x, p.y, 0}, end = {p.x + 1, p.y + 1, 1};
        const VkImageSubresourceLayers layer = layer_of((uint32_t)p.layer);
        if (blits)
            vkCmdBlitImage(cmd, from->image, VK_IMAGE_LAYOUT_GENERAL, to->image, VK_IMAGE_LAYOUT_GENERAL, 1,
                           &(VkImageBlit){layer, {begin, end}, layer, {begin, end}}, VK_FILTER_NEAREST);
        else
            vkCmdCopyImage(cmd, from->image, VK_IMAGE_LAYOUT_GENERAL, to->image, VK_IMAGE_LAYOUT_GENERAL, 1,
                           &(VkImageCopy){layer, begin, layer, begin, {1, 1, 1}});
        vkt_barrier_all(cmd);
    }
    vkt_end_submit(t, cmd);
}

static void greatest_extents(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    const VkPhysicalDeviceLimits *l = &t->properties.limits;
    assert_true(l->maxImageDimension1D >= 16384 && l->maxImageDimension2D >= 16384 &&
                l->maxImageDimensionCube >= 16384);
    assert_true(l->maxImageArrayLayers >= 2048);
    for (uint32_t i = 0; i < VKT_COUNT(extents); i++) {
        const struct extent *e = &extents[i];
        uint8_t expected[PLACES];
        if (!fits(t, e)) {
            print_message("# %s: the heap is too small\n", e->name);
            continue;
        }
        struct vkt_image image = image_of(t, e);
        write_places(t, e, &image, expected);
        read_back(t, e, &image, expected, "copied to a buffer");
        if (e->kind != LINE)
            sample(t, e, &image, expected);
        for (uint32_t blits = 0; blits < 2 && e->kind != CUBE; blits++) {
            struct vkt_image other = image_of(t, e);
            copy_places(t, e, &image, &other, blits);
            read_back(t, e, &other, expected, blits ? "blitted" : "copied");
            vkt_image_destroy(t, &other);
        }
        vkt_image_destroy(t, &image);
    }
}

/* All texels of 2048 layers, cleared and copied at once. */
static void all_layers_at_once(void **state)
{
    enum { SIDE = 8, LAYERS = 2048, LAYER_B = SIDE * SIDE };
    struct vkt *t = vkt_device(VKT_TESTED);
    struct vkt_image image = image_of(t, &(struct extent){"layers", SIDE, SIDE, LAYERS, PLAIN});
    struct vkt_buffer from = vkt_storage_buffer(t, LAYERS * LAYER_B / 4, VK_BUFFER_USAGE_TRANSFER_SRC_BIT),
                      to = vkt_storage_buffer(t, LAYERS * LAYER_B / 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
    for (uint32_t i = 0; i < LAYERS * LAYER_B; i++)
        ((uint8_t *)from.map)[i] = (uint8_t)(i % 253 + i / LAYER_B);
    const VkBufferImageCopy all = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, LAYERS},
                                   .imageExtent = {SIDE, SIDE, 1}};
    const VkImageSubresourceRange last = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, LAYERS - 40, VK_REMAINING_ARRAY_LAYERS};
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_image_barrier(cmd, &image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    vkCmdCopyBufferToImage(cmd, from.buffer, image.image, VK_IMAGE_LAYOUT_GENERAL, 1, &all);
    vkt_barrier_all(cmd);
    vkCmdClearColorImage(cmd, image.image, VK_IMAGE_LAYOUT_GENERAL, &(VkClearColorValue){.float32 = {1, 0, 0, 0}}, 1,
                         &last);
    vkt_barrier_all(cmd);
    vkCmdCopyImageToBuffer(cmd, image.image, VK_IMAGE_LAYOUT_GENERAL, to.buffer, 1, &all);
    vkt_barrier_all(cmd);
    vkt_end_submit(t, cmd);
    assert_memory_equal(from.map, to.map, (LAYERS - 40) * LAYER_B);
    for (uint32_t i = (LAYERS - 40) * LAYER_B; i < LAYERS * LAYER_B; i++)
        assert_int_equal(((const uint8_t *)to.map)[i], 255);
    vkt_buffer_destroy(t, &from);
    vkt_buffer_destroy(t, &to);
    vkt_image_destroy(t, &image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(greatest_extents, vkt_check_messages),
        cmocka_unit_test_teardown(all_layers_at_once, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("extents", tests, NULL, vkt_teardown);
}
