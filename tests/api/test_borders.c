/* SPDX-License-Identifier: MIT
 *
 * Border colours of samplers: those of Vulkan 1.0, custom ones (VK_EXT_custom_border_color), and how the view swizzles
 * them (VK_EXT_border_color_swizzle). Lookups by the texture unit, in code, and by the CPU engine, of formats of every
 * kind. A border is a texel of the format, whose components the view then swizzles.
 */
#include <math.h>
#include <string.h>
#include "vkt.h"
#include "borders_array.frag.h"
#include "borders_float.frag.h"
#include "borders_int.frag.h"
#include "borders_uint.frag.h"
#include "full.vert.h"

enum { SIDE = 16, TEXELS = 8 };

static struct vkt device;
static VkDescriptorPool pool;

static int open_device(void **state)
{
    const char *const extensions[] = {VK_EXT_CUSTOM_BORDER_COLOR_EXTENSION_NAME,
                                      VK_EXT_BORDER_COLOR_SWIZZLE_EXTENSION_NAME,
                                      VK_EXT_DESCRIPTOR_INDEXING_EXTENSION_NAME, VK_KHR_MAINTENANCE3_EXTENSION_NAME};
    VkPhysicalDeviceDescriptorIndexingFeatures indexing = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_FEATURES,
        .descriptorBindingSampledImageUpdateAfterBind = VK_TRUE};
    VkPhysicalDeviceBorderColorSwizzleFeaturesEXT swizzles = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BORDER_COLOR_SWIZZLE_FEATURES_EXT,
        .pNext = &indexing,
        .borderColorSwizzle = VK_TRUE,
        .borderColorSwizzleFromImage = VK_TRUE};
    VkPhysicalDeviceCustomBorderColorFeaturesEXT customs = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CUSTOM_BORDER_COLOR_FEATURES_EXT,
        .pNext = &swizzles,
        .customBorderColors = VK_TRUE,
        .customBorderColorWithoutFormat = VK_TRUE};
    device = vkt_device_create_chain(vkt_device(VKT_TESTED), extensions, VKT_COUNT(extensions), &customs);
    const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1};
    vkt_ok(
        vkCreateDescriptorPool(device.device,
                               &(VkDescriptorPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                                             .flags = VK_DESCRIPTOR_POOL_CREATE_UPDATE_AFTER_BIND_BIT,
                                                             .maxSets = 1,
                                                             .poolSizeCount = 1,
                                                             .pPoolSizes = &size},
                               NULL, &pool));
    return 0;
}

static int close_device(void **state)
{
    vkDestroyDescriptorPool(device.device, pool, NULL);
    vkt_device_close(&device);
    return vkt_teardown(state);
}

/* ---------------------------------------------------------------- what is looked up */

enum kind { FLOATS, INTS, UINTS };

struct format_row {
    VkFormat format;
    VkImageAspectFlags aspect;
    enum kind kind;
    uint8_t components; /* bit mask */
    float step;         /* of floats: twice the distance of two values */
};

static const struct format_row formats[] = {
    {VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_ASPECT_COLOR_BIT, FLOATS, 15, 0.01f},
    {VK_FORMAT_B8G8R8A8_UNORM, VK_IMAGE_ASPECT_COLOR_BIT, FLOATS, 15, 0.01f},
    {VK_FORMAT_R8G8B8A8_SRGB, VK_IMAGE_ASPECT_COLOR_BIT, FLOATS, 15, 0.015f},
    {VK_FORMAT_R8_UNORM, VK_IMAGE_ASPECT_COLOR_BIT, FLOATS, 1, 0.01f},
    {VK_FORMAT_R8G8_UNORM, VK_IMAGE_ASPECT_COLOR_BIT, FLOATS, 3, 0.01f},
    {VK_FORMAT_R5G6B5_UNORM_PACK16, VK_IMAGE_ASPECT_COLOR_BIT, FLOATS, 7, 0.04f},
    {VK_FORMAT_A1R5G5B5_UNORM_PACK16, VK_IMAGE_ASPECT_COLOR_BIT, FLOATS, 15, 0.04f},
    {VK_FORMAT_A2B10G10R10_UNORM_PACK32, VK_IMAGE_ASPECT_COLOR_BIT, FLOATS, 15, 0.004f},
    {VK_FORMAT_B10G11R11_UFLOAT_PACK32, VK_IMAGE_ASPECT_COLOR_BIT, FLOATS, 7, 0.04f},
    {VK_FORMAT_R16G16B16A16_SFLOAT, VK_IMAGE_ASPECT_COLOR_BIT, FLOATS, 15, 0.002f},
    {VK_FORMAT_R32G32B32_SFLOAT, VK_IMAGE_ASPECT_COLOR_BIT, FLOATS, 7, 1e-6f},
    {VK_FORMAT_R32G32B32A32_SFLOAT, VK_IMAGE_ASPECT_COLOR_BIT, FLOATS, 15, 1e-6f},
    {VK_FORMAT_D16_UNORM, VK_IMAGE_ASPECT_DEPTH_BIT, FLOATS, 1, 1e-4f},
    {VK_FORMAT_D32_SFLOAT, VK_IMAGE_ASPECT_DEPTH_BIT, FLOATS, 1, 1e-5f},
    {VK_FORMAT_D24_UNORM_S8_UINT, VK_IMAGE_ASPECT_DEPTH_BIT, FLOATS, 1, 1e-5f},
    {VK_FORMAT_D24_UNORM_S8_UINT, VK_IMAGE_ASPECT_STENCIL_BIT, UINTS, 1, 0},
    {VK_FORMAT_D32_SFLOAT_S8_UINT, VK_IMAGE_ASPECT_STENCIL_BIT, UINTS, 1, 0},
    {VK_FORMAT_S8_UINT, VK_IMAGE_ASPECT_STENCIL_BIT, UINTS, 1, 0},
    {VK_FORMAT_R8G8B8A8_UINT, VK_IMAGE_ASPECT_COLOR_BIT, UINTS, 15, 0},
    {VK_FORMAT_R16G16_SINT, VK_IMAGE_ASPECT_COLOR_BIT, INTS, 3, 0},
    {VK_FORMAT_R32G32B32A32_UINT, VK_IMAGE_ASPECT_COLOR_BIT, UINTS, 15, 0},
    {VK_FORMAT_R32_SINT, VK_IMAGE_ASPECT_COLOR_BIT, INTS, 1, 0},
};

static const VkComponentMapping mappings[] = {
    {0},
    {VK_COMPONENT_SWIZZLE_B, VK_COMPONENT_SWIZZLE_A, VK_COMPONENT_SWIZZLE_ONE, VK_COMPONENT_SWIZZLE_R},
    {VK_COMPONENT_SWIZZLE_ZERO, VK_COMPONENT_SWIZZLE_R, VK_COMPONENT_SWIZZLE_R, VK_COMPONENT_SWIZZLE_G},
};

/* How programs look up. */
enum how { PLAIN, ARRAY, ENGINE, HOWS };

struct lookup {
    const struct format_row *row;
    const VkComponentMapping *mapping;
    enum how how;
    VkFilter filter;
    VkBorderColor border;
    VkClearColorValue custom;
};

static bool is_custom(VkBorderColor border)
{
    return border == VK_BORDER_COLOR_FLOAT_CUSTOM_EXT || border == VK_BORDER_COLOR_INT_CUSTOM_EXT;
}

/* ---------------------------------------------------------------- expectations */

/* Component c of the border as a texel of the format. */
static VkClearColorValue border_of(const struct lookup *l)
{
    VkClearColorValue out = l->custom;
    const bool black =
        l->border == VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK || l->border == VK_BORDER_COLOR_INT_TRANSPARENT_BLACK;
    const bool white = l->border == VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE || l->border == VK_BORDER_COLOR_INT_OPAQUE_WHITE;
    for (uint32_t i = 0; i < 4; i++) {
        const bool lacks = !(l->row->components >> i & 1);
        const uint32_t number = lacks ? i == 3 : i == 3 ? !black : white;
        if (!lacks && is_custom(l->border))
            continue;
        if (l->row->kind == FLOATS)
            out.float32[i] = (float)number;
        else
            out.uint32[i] = number;
    }
    return out;
}

static uint32_t swizzled(const struct lookup *l, const VkClearColorValue *from, uint32_t component)
{
    const VkComponentSwizzle m = (&l->mapping->r)[component];
    const float one_f = 1;
    uint32_t one = 1;
    if (l->row->kind == FLOATS)
        memcpy(&one, &one_f, sizeof one);
    switch (m) {
    case VK_COMPONENT_SWIZZLE_IDENTITY:
        return from->uint32[component];
    case VK_COMPONENT_SWIZZLE_ZERO:
        return 0;
    case VK_COMPONENT_SWIZZLE_ONE:
        return one;
    default:
        return from->uint32[m - VK_COMPONENT_SWIZZLE_R];
    }
}

static void expect(const struct lookup *l, const uint32_t *got)
{
    const VkClearColorValue border = border_of(l);
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t word = swizzled(l, &border, i);
        float want_f, got_f;
        memcpy(&want_f, &word, sizeof want_f);
        memcpy(&got_f, &got[i], sizeof got_f);
        if (l->row->kind == FLOATS ? !(fabsf(want_f - got_f) <= l->row->step) : got[i] != word)
            fail_msg(
                "format %d, aspect %u, way %d, filter %d, border %d, mapping %d: component %u is %g (0x%x) instead of "
                "%g (0x%x)",
                l->row->format, l->row->aspect, l->how, l->filter, l->border, (int)(l->mapping - mappings), i,
                (double)got_f, got[i], (double)want_f, word);
    }
}

/* ---------------------------------------------------------------- drawing */

static VkSampler sampler_create(const struct lookup *l, bool tells_mapping)
{
    const VkSamplerBorderColorComponentMappingCreateInfoEXT mapping = {
        .sType = VK_STRUCTURE_TYPE_SAMPLER_BORDER_COLOR_COMPONENT_MAPPING_CREATE_INFO_EXT, .components = *l->mapping};
    const VkSamplerCustomBorderColorCreateInfoEXT custom = {
        .sType = VK_STRUCTURE_TYPE_SAMPLER_CUSTOM_BORDER_COLOR_CREATE_INFO_EXT,
        .pNext = tells_mapping ? &mapping : NULL,
        .customBorderColor = l->custom,
        .format = tells_mapping ? l->row->format : VK_FORMAT_UNDEFINED};
    VkSampler sampler;
    vkt_ok(vkCreateSampler(device.device,
                           &(VkSamplerCreateInfo){.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                                                  .pNext = is_custom(l->border) ? &custom : NULL,
                                                  .magFilter = l->filter,
                                                  .minFilter = l->filter,
                                                  .addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
                                                  .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
                                                  .addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
                                                  .borderColor = l->border},
                           NULL, &sampler));
    return sampler;
}

static VkDescriptorSetLayout layout_create(const struct lookup *l)
{
    const VkDescriptorBindingFlags flags = VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT;
    const VkDescriptorSetLayoutBindingFlagsCreateInfo more = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO,
        .bindingCount = 1,
        .pBindingFlags = &flags};
    const VkDescriptorSetLayoutBinding binding = {.descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                                  .descriptorCount = 1,
                                                  .stageFlags = VK_SHADER_STAGE_FRAGMENT_BIT};
    VkDescriptorSetLayout layout;
    vkt_ok(vkCreateDescriptorSetLayout(
        device.device,
        &(VkDescriptorSetLayoutCreateInfo){
            .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
            .pNext = l->how == ENGINE ? &more : NULL,
            .flags = l->how == ENGINE ? VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT : 0,
            .bindingCount = 1,
            .pBindings = &binding},
        NULL, &layout));
    return layout;
}

static VkImageView view_create(const struct lookup *l, const struct vkt_image *image)
{
    VkImageView view;
    vkt_ok(vkCreateImageView(device.device,
                             &(VkImageViewCreateInfo){
                                 .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                 .image = image->image,
                                 .viewType = l->how == ARRAY ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D,
                                 .format = l->row->format,
                                 .components = *l->mapping,
                                 .subresourceRange = {l->row->aspect, 0, 1, 0, image->layers},
                             },
                             NULL, &view));
    return view;
}

static struct vkt_shader shader_for(const struct lookup *l)
{
    return l->how == ARRAY          ? VKT_SHADER(borders_array_frag)
           : l->row->kind == FLOATS ? VKT_SHADER(borders_float_frag)
           : l->row->kind == INTS   ? VKT_SHADER(borders_int_frag)
                                    : VKT_SHADER(borders_uint_frag);
}

struct drawing {
    struct vkt_target target;
    struct vkt_pipeline pipeline;
    VkDescriptorSetLayout layout;
    struct vkt_image image;
};

static void drawing_create(struct drawing *d, const struct lookup *l)
{
    static const VkFormat targets[] = {VK_FORMAT_R32G32B32A32_SFLOAT, VK_FORMAT_R32G32B32A32_SINT,
                                       VK_FORMAT_R32G32B32A32_UINT};
    d->target = vkt_target_create(&device, SIDE, SIDE, targets[l->row->kind], VK_FORMAT_UNDEFINED);
    d->layout = layout_create(l);
    d->pipeline =
        vkt_pipeline_create(&device, &(struct vkt_pipeline_info){.vs = VKT_SHADER(full_vert),
                                                                 .fs = shader_for(l),
                                                                 .pass = d->target.pass,
                                                                 .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                                                 .width = SIDE,
                                                                 .height = SIDE,
                                                                 .set_layouts = {d->layout},
                                                                 .set_layout_count = 1});
    d->image = vkt_image_create(
        &device, &(struct vkt_image_info){.format = l->row->format,
                                          .width = TEXELS,
                                          .height = TEXELS,
                                          .layers = l->how == ARRAY ? 3 : 1,
                                          .array = l->how == ARRAY,
                                          .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT});
    VkCommandBuffer cmd = vkt_begin(&device);
    vkt_image_barrier(cmd, &d->image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    const VkImageSubresourceRange all = {d->image.aspect, 0, 1, 0, d->image.layers};
    if (d->image.aspect == VK_IMAGE_ASPECT_COLOR_BIT)
        vkCmdClearColorImage(cmd, d->image.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                             &(VkClearColorValue){.uint32 = {0, 0, 0, 0}}, 1, &all);
    else
        vkCmdClearDepthStencilImage(cmd, d->image.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                                    &(VkClearDepthStencilValue){0, 0}, 1, &all);
    vkt_image_barrier(cmd, &d->image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    vkt_end_submit(&device, cmd);
}

static void drawing_destroy(struct drawing *d)
{
    vkt_image_destroy(&device, &d->image);
    vkt_pipeline_destroy(&device, &d->pipeline);
    vkDestroyDescriptorSetLayout(device.device, d->layout, NULL);
    vkt_target_destroy(&device, &d->target);
}

/* Looks up once; the target's corner must be the border, its middle the texture's zeros. */
static void check(const struct drawing *d, const struct lookup *l, bool tells_mapping)
{
    static uint32_t got[SIDE * SIDE * 4];
    VkSampler sampler = sampler_create(l, tells_mapping);
    VkImageView view = view_create(l, &d->image);
    VkDescriptorSet set;
    vkt_ok(vkResetDescriptorPool(device.device, pool, 0));
    vkt_ok(
        vkAllocateDescriptorSets(device.device,
                                 &(VkDescriptorSetAllocateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                                                .descriptorPool = pool,
                                                                .descriptorSetCount = 1,
                                                                .pSetLayouts = &d->layout},
                                 &set));
    vkt_set_texture(&device, set, 0, view, sampler);
    VkCommandBuffer cmd = vkt_begin(&device);
    vkt_begin_pass(cmd, &d->target, (const float[]){0, 0, 0, 0}, 0, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, d->pipeline.pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, d->pipeline.layout, 0, 1, &set, 0, NULL);
    vkCmdDraw(cmd, 4, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(&device, cmd);
    vkt_read_image(&device, &d->target.color, 0, 0, got, sizeof got);
    expect(l, got);
    expect(l, got + (SIDE * SIDE - 1) * 4);
    struct lookup inside = *l;
    inside.border =
        l->row->kind == FLOATS ? VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK : VK_BORDER_COLOR_INT_TRANSPARENT_BLACK;
    expect(&inside, got + (SIDE / 2 * SIDE + SIDE / 2) * 4);
    vkDestroyImageView(device.device, view, NULL);
    vkDestroySampler(device.device, sampler, NULL);
}

static const VkClearColorValue custom_floats = {.float32 = {0.2f, 0.7f, 0.45f, 0.6f}},
                               custom_ints = {.int32 = {77, 100, 3, 25}};

static void check_borders(struct lookup l)
{
    static const VkBorderColor floats[] = {VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK, VK_BORDER_COLOR_FLOAT_OPAQUE_BLACK,
                                           VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE, VK_BORDER_COLOR_FLOAT_CUSTOM_EXT},
                               ints[] = {VK_BORDER_COLOR_INT_TRANSPARENT_BLACK, VK_BORDER_COLOR_INT_OPAQUE_BLACK,
                                         VK_BORDER_COLOR_INT_OPAQUE_WHITE, VK_BORDER_COLOR_INT_CUSTOM_EXT};
    struct drawing d;
    drawing_create(&d, &l);
    for (uint32_t i = 0; i < VKT_COUNT(floats); i++)
        for (uint32_t m = 0; m < VKT_COUNT(mappings); m++) {
            if (m && i != 3)
                continue;
            l.border = (l.row->kind == FLOATS ? floats : ints)[i];
            l.custom = l.row->kind == FLOATS ? custom_floats : custom_ints;
            if (l.row->format == VK_FORMAT_A1R5G5B5_UNORM_PACK16 || l.row->format == VK_FORMAT_A2B10G10R10_UNORM_PACK32)
                l.custom.float32[3] = 1; /* few bits */
            l.mapping = &mappings[m];
            check(&d, &l, m == 1);
        }
    drawing_destroy(&d);
}

static void borders(enum how how)
{
    for (uint32_t i = 0; i < VKT_COUNT(formats); i++) {
        struct lookup l = {.row = &formats[i], .how = how, .mapping = &mappings[0]};
        if (how == ARRAY && l.row->kind != FLOATS)
            continue;
        check_borders(l);
        l.filter = VK_FILTER_LINEAR;
        if (l.row->kind == FLOATS && l.row->aspect == VK_IMAGE_ASPECT_COLOR_BIT)
            check_borders(l);
    }
}

static void borders_of_plain_views(void **state)
{
    borders(PLAIN);
}

static void borders_of_array_views(void **state)
{
    borders(ARRAY);
}

static void borders_by_the_engine(void **state)
{
    borders(ENGINE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(borders_of_plain_views, vkt_check_messages),
        cmocka_unit_test_teardown(borders_of_array_views, vkt_check_messages),
        cmocka_unit_test_teardown(borders_by_the_engine, vkt_check_messages),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
