/* SPDX-License-Identifier: MIT
 *
 * Y'CbCr images: copied or written plane by plane, bound as a whole or plane by plane, and sampled through conversions
 * of every model, range and chroma location, by shaders on the chip and on the CPU engine. Planes are written through
 * views of their own, too, by shaders and as attachments. Images have layers (VK_EXT_ycbcr_image_arrays), too. The test
 * computes every texel of the result itself.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "vkt.h"
#include "array_ycbcr.comp.h"
#include "array_ycbcr.frag.h"
#include "cover.vert.h"
#include "ycbcr.comp.h"
#include "ycbcr.frag.h"
#include "ycbcr_store.comp.h"

#define WIDTH  12u
#define HEIGHT 10u
#define OUT_W  (2 * WIDTH)
#define OUT_H  (2 * HEIGHT)
#define LAYERS 3u /* of arrays */

static struct vkt device; /* with the extension */

static PFN_vkVoidFunction function(const char *name)
{
    PFN_vkVoidFunction f = vkGetDeviceProcAddr(device.device, name);
    assert_non_null(f);
    return f;
}
#define FUNCTION(name) ((PFN_##name)function(#name))

static int open_device(void **state)
{
    const char *const extensions[] = {
        VK_KHR_SAMPLER_YCBCR_CONVERSION_EXTENSION_NAME, VK_KHR_BIND_MEMORY_2_EXTENSION_NAME,
        VK_KHR_GET_MEMORY_REQUIREMENTS_2_EXTENSION_NAME, VK_EXT_YCBCR_2PLANE_444_FORMATS_EXTENSION_NAME,
        VK_EXT_YCBCR_IMAGE_ARRAYS_EXTENSION_NAME};
    VkPhysicalDeviceYcbcrImageArraysFeaturesEXT arrays = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_YCBCR_IMAGE_ARRAYS_FEATURES_EXT, .ycbcrImageArrays = VK_TRUE};
    VkPhysicalDeviceYcbcr2Plane444FormatsFeaturesEXT two_planes = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_YCBCR_2_PLANE_444_FORMATS_FEATURES_EXT,
        .pNext = &arrays,
        .ycbcr2plane444Formats = VK_TRUE};
    device = vkt_device_create_chain(vkt_device(VKT_TESTED), extensions, VKT_COUNT(extensions), &two_planes);
    return 0;
}

static int close_device(void **state)
{
    vkt_device_close(&device);
    return vkt_teardown(state);
}

/* ---------------------------------------------------------------- formats, conversions, expected texels */

struct kind {
    VkFormat format;
    uint32_t planes, log2_x, log2_y, bits;
};

static const struct kind kinds[] = {
    {VK_FORMAT_G8_B8R8_2PLANE_420_UNORM, 2, 1, 1, 8},
    {VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM, 3, 1, 1, 8},
    {VK_FORMAT_G8_B8R8_2PLANE_422_UNORM, 2, 1, 0, 8},
    {VK_FORMAT_G8_B8_R8_3PLANE_422_UNORM, 3, 1, 0, 8},
    {VK_FORMAT_G8_B8_R8_3PLANE_444_UNORM, 3, 0, 0, 8},
    {VK_FORMAT_G16_B16R16_2PLANE_420_UNORM, 2, 1, 1, 16},
    {VK_FORMAT_G16_B16_R16_3PLANE_420_UNORM, 3, 1, 1, 16},
    {VK_FORMAT_G8_B8R8_2PLANE_444_UNORM, 2, 0, 0, 8},
    {VK_FORMAT_G16_B16R16_2PLANE_444_UNORM, 2, 0, 0, 16},
    {VK_FORMAT_G10X6_B10X6R10X6_2PLANE_420_UNORM_3PACK16, 2, 1, 1, 10},
    {VK_FORMAT_G10X6_B10X6_R10X6_3PLANE_420_UNORM_3PACK16, 3, 1, 1, 10},
    {VK_FORMAT_G10X6_B10X6_R10X6_3PLANE_444_UNORM_3PACK16, 3, 0, 0, 10},
    {VK_FORMAT_G10X6_B10X6R10X6_2PLANE_444_UNORM_3PACK16, 2, 0, 0, 10},
    {VK_FORMAT_G12X4_B12X4R12X4_2PLANE_422_UNORM_3PACK16, 2, 1, 0, 12},
    {VK_FORMAT_G12X4_B12X4_R12X4_3PLANE_422_UNORM_3PACK16, 3, 1, 0, 12},
    {VK_FORMAT_G12X4_B12X4R12X4_2PLANE_420_UNORM_3PACK16, 2, 1, 1, 12},
};

static uint32_t channel_B(const struct kind *kind)
{
    return kind->bits > 8 ? 2 : 1;
}

/* Channels of 10 and 12 bits, in the upper bits of 16: programs do not write them. */
static bool is_padded(const struct kind *kind)
{
    return kind->bits == 10 || kind->bits == 12;
}

struct way {
    VkSamplerYcbcrModelConversion model;
    VkSamplerYcbcrRange range;
    VkChromaLocation x, y;
    VkFilter filter;
    bool disjoint, swapped;
    bool linear; /* tiling; the host writes the planes, instead of copies */
};

#define MODEL(name) VK_SAMPLER_YCBCR_MODEL_CONVERSION_##name
#define FULL        VK_SAMPLER_YCBCR_RANGE_ITU_FULL
#define NARROW      VK_SAMPLER_YCBCR_RANGE_ITU_NARROW
#define EVEN        VK_CHROMA_LOCATION_COSITED_EVEN
#define MIDDLE      VK_CHROMA_LOCATION_MIDPOINT

static const struct way ways[] = {
    {MODEL(RGB_IDENTITY), FULL, MIDDLE, MIDDLE, VK_FILTER_NEAREST, false, false},
    {MODEL(YCBCR_IDENTITY), FULL, EVEN, EVEN, VK_FILTER_LINEAR, true, false},
    {MODEL(YCBCR_709), NARROW, EVEN, MIDDLE, VK_FILTER_LINEAR, false, false},
    {MODEL(YCBCR_601), NARROW, MIDDLE, EVEN, VK_FILTER_NEAREST, true, true},
    {MODEL(YCBCR_601), FULL, MIDDLE, MIDDLE, VK_FILTER_LINEAR, false, true},
    {MODEL(YCBCR_2020), NARROW, EVEN, EVEN, VK_FILTER_NEAREST, false, false},
    {MODEL(YCBCR_709), NARROW, EVEN, MIDDLE, VK_FILTER_LINEAR, false, false, .linear = true},
    {MODEL(RGB_IDENTITY), FULL, MIDDLE, EVEN, VK_FILTER_NEAREST, true, true, .linear = true},
};

struct plane {
    uint32_t width, height, channels;
    double texels[WIDTH * HEIGHT * 2];
};

static const VkImageAspectFlagBits plane_aspects[] = {VK_IMAGE_ASPECT_PLANE_0_BIT, VK_IMAGE_ASPECT_PLANE_1_BIT,
                                                      VK_IMAGE_ASPECT_PLANE_2_BIT};

static double texel(const struct plane *p, int x, int y, uint32_t channel)
{
    x = x < 0 ? 0 : x >= (int)p->width ? (int)p->width - 1 : x;
    y = y < 0 ? 0 : y >= (int)p->height ? (int)p->height - 1 : y;
    return p->texels[((uint32_t)y * p->width + (uint32_t)x) * p->channels + channel];
}

static double lookup(const struct plane *p, double u, double v, uint32_t channel, VkFilter filter)
{
    if (filter == VK_FILTER_NEAREST)
        return texel(p, (int)floor(u), (int)floor(v), channel);
    const int x = (int)floor(u - 0.5), y = (int)floor(v - 0.5);
    const double a = u - 0.5 - x, b = v - 0.5 - y;
    return (texel(p, x, y, channel) * (1 - a) + texel(p, x + 1, y, channel) * a) * (1 - b) +
           (texel(p, x, y + 1, channel) * (1 - a) + texel(p, x + 1, y + 1, channel) * a) * b;
}

/* Computes a lookup as the chapter "Sampler Y'CbCr Conversion" of Vulkan defines it. */
static void expected(const struct kind *kind, const struct way *way, const struct plane planes[3], double u, double v,
                     double rgb_out[3])
{
    const double cu = u / (1 << kind->log2_x) + (kind->log2_x && way->x == EVEN ? 0.25 : 0);
    const double cv = v / (1 << kind->log2_y) + (kind->log2_y && way->y == EVEN ? 0.25 : 0);
    const double largest = (1 << kind->bits) - 1, unit = 1 << (kind->bits - 8);
    double y = lookup(&planes[0], u, v, 0, way->filter);
    double cb = lookup(&planes[1], cu, cv, 0, way->filter);
    double cr = kind->planes == 2 ? lookup(&planes[1], cu, cv, 1, way->filter)
                                  : lookup(&planes[2], cu, cv, 0, way->filter);
    if (way->swapped) {
        double t = cb;
        cb = cr;
        cr = t;
    }
    if (way->model != MODEL(RGB_IDENTITY)) {
        y = way->range == NARROW ? (y * largest - 16 * unit) / (219 * unit) : y;
        cb = way->range == NARROW ? (cb * largest - 128 * unit) / (224 * unit) : cb - 128 * unit / largest;
        cr = way->range == NARROW ? (cr * largest - 128 * unit) / (224 * unit) : cr - 128 * unit / largest;
    }
    double red = 0, blue = 0;
    switch (way->model) {
    case MODEL(YCBCR_709):
        red = 0.2126, blue = 0.0722;
        break;
    case MODEL(YCBCR_601):
        red = 0.299, blue = 0.114;
        break;
    case MODEL(YCBCR_2020):
        red = 0.2627, blue = 0.0593;
        break;
    default:
        rgb_out[0] = cr, rgb_out[1] = y, rgb_out[2] = cb;
        return;
    }
    rgb_out[0] = y + 2 * (1 - red) * cr;
    rgb_out[2] = y + 2 * (1 - blue) * cb;
    rgb_out[1] = (y - red * rgb_out[0] - blue * rgb_out[2]) / (1 - red - blue);
}

/* ---------------------------------------------------------------- objects */

struct picture {
    VkImage image;
    VkImageView view;
    VkDeviceMemory memory[3];
    VkDeviceSize offset_B[3]; /* in the memory */
    uint32_t memory_count;
    VkSamplerYcbcrConversion conversion;
    VkSampler sampler;
    uint32_t layers;
    uint32_t layer;         /* that is looked at: of a 2D view, or of an array view, which begins at layer 1 */
    bool is_array;          /* of which type the view is */
    struct plane planes[3]; /* expected texels of this layer */
    struct plane all[LAYERS][3];
};

static void create_conversion(struct picture *p, const struct kind *kind, const struct way *way)
{
    VkSamplerYcbcrConversionCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_CREATE_INFO,
        .format = kind->format,
        .ycbcrModel = way->model,
        .ycbcrRange = way->range,
        .xChromaOffset = way->x,
        .yChromaOffset = way->y,
        .chromaFilter = way->filter,
    };
    if (way->swapped) {
        info.components.r = VK_COMPONENT_SWIZZLE_B;
        info.components.b = VK_COMPONENT_SWIZZLE_R;
    }
    vkt_ok(FUNCTION(vkCreateSamplerYcbcrConversionKHR)(device.device, &info, NULL, &p->conversion));
    const VkSamplerYcbcrConversionInfo converts = {.sType = VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_INFO,
                                                   .conversion = p->conversion};
    vkt_ok(vkCreateSampler(device.device,
                           &(VkSamplerCreateInfo){.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                                                  .pNext = &converts,
                                                  .magFilter = way->filter,
                                                  .minFilter = way->filter,
                                                  .addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                                  .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                                  .addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE},
                           NULL, &p->sampler));
}

/* Makes a view of one layer, or an array view of all but the first one. */
static void look_at(struct picture *p, const struct kind *kind, uint32_t layer, bool is_array)
{
    const VkSamplerYcbcrConversionInfo converts = {.sType = VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_INFO,
                                                   .conversion = p->conversion};
    const VkImageViewUsageCreateInfo sampled = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_USAGE_CREATE_INFO,
                                                .pNext = &converts,
                                                .usage = VK_IMAGE_USAGE_SAMPLED_BIT};
    const VkImageViewCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .pNext = &sampled,
        .image = p->image,
        .viewType = is_array ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D,
        .format = kind->format,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, is_array ? 1 : layer, is_array ? p->layers - 1 : 1}};
    vkDestroyImageView(device.device, p->view, NULL);
    p->layer = layer;
    p->is_array = is_array;
    memcpy(p->planes, p->all[layer], sizeof p->planes);
    vkt_ok(vkCreateImageView(device.device, &info, NULL, &p->view));
}

static VkDeviceMemory allocate(VkDeviceSize size_B)
{
    VkDeviceMemory memory;
    vkt_ok(vkAllocateMemory(device.device,
                            &(VkMemoryAllocateInfo){.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                                    .allocationSize = size_B},
                            NULL, &memory));
    return memory;
}

/* Binds one memory object for all planes, or one for each plane. */
static void bind_memory(struct picture *p, const struct kind *kind, bool disjoint)
{
    VkBindImagePlaneMemoryInfo planes[3];
    VkBindImageMemoryInfo binds[3];
    p->memory_count = disjoint ? kind->planes : 1;
    for (uint32_t i = 0; i < p->memory_count; i++) {
        const VkImagePlaneMemoryRequirementsInfo plane = {
            .sType = VK_STRUCTURE_TYPE_IMAGE_PLANE_MEMORY_REQUIREMENTS_INFO, .planeAspect = plane_aspects[i]};
        const VkImageMemoryRequirementsInfo2 of = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_REQUIREMENTS_INFO_2,
                                                   .pNext = disjoint ? &plane : NULL,
                                                   .image = p->image};
        VkMemoryRequirements2 needs = {.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
        FUNCTION(vkGetImageMemoryRequirements2KHR)(device.device, &of, &needs);
        p->memory[i] = allocate(needs.memoryRequirements.size + needs.memoryRequirements.alignment);
        planes[i] = (VkBindImagePlaneMemoryInfo){.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_PLANE_MEMORY_INFO,
                                                 .planeAspect = plane_aspects[i]};
        binds[i] = (VkBindImageMemoryInfo){.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO,
                                           .pNext = disjoint ? &planes[i] : NULL,
                                           .image = p->image,
                                           .memory = p->memory[i],
                                           .memoryOffset = needs.memoryRequirements.alignment};
        p->offset_B[i] = binds[i].memoryOffset;
    }
    vkt_ok(FUNCTION(vkBindImageMemory2KHR)(device.device, p->memory_count, binds));
}

/* Writes the rows of a plane of the first layer to memory. */
static void write_plane(const struct picture *p, uint32_t i, bool disjoint, const uint8_t *texels, uint32_t texel_B)
{
    const struct plane *plane = &p->all[0][i];
    const uint32_t which = disjoint ? i : 0, row_B = plane->width * texel_B;
    VkSubresourceLayout layout;
    char *map;
    vkGetImageSubresourceLayout(device.device, p->image, &(VkImageSubresource){.aspectMask = plane_aspects[i]},
                                &layout);
    vkt_ok(vkMapMemory(device.device, p->memory[which], p->offset_B[which] + layout.offset, layout.size, 0,
                       (void **)&map));
    for (uint32_t y = 0; y < plane->height; y++)
        memcpy(map + y * layout.rowPitch, texels + y * row_B, row_B);
    vkUnmapMemory(device.device, p->memory[which]);
}

/* Uploads each plane of a layer from its own slot of a buffer, copies it back, and checks that the bytes are the same.
 */
static void upload(struct picture *p, const struct kind *kind, const struct way *way, uint32_t layer)
{
    const uint32_t bytes = channel_B(kind);
    const bool by_host = way->linear && !layer; /* while the layout is PREINITIALIZED */
    const VkDeviceSize slot_B = WIDTH * HEIGHT * 2 * 2;
    struct vkt_buffer from = vkt_buffer_create(&device, 3 * slot_B, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, NULL);
    struct vkt_buffer back = vkt_buffer_create(&device, 3 * slot_B, VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
    VkBufferImageCopy regions[3];
    memset(back.map, 0, back.size_B);
    memset(from.map, 0, from.size_B);
    for (uint32_t i = 0; i < kind->planes; i++) {
        struct plane *plane = &p->all[layer][i];
        plane->width = i ? WIDTH >> kind->log2_x : WIDTH;
        plane->height = i ? HEIGHT >> kind->log2_y : HEIGHT;
        plane->channels = i && kind->planes == 2 ? 2 : 1;
        uint8_t *to = (uint8_t *)from.map + i * slot_B;
        for (uint32_t k = 0; k < plane->width * plane->height * plane->channels; k++) {
            uint32_t value = (k * 37 + i * 91 + k * k * 5 + layer * 77) & 0xff;
            value = bytes == 2 ? value * 257 - value % 7 : value;
            value = bytes == 2 && value > 0xffff ? 0 : value;
            memcpy(to + k * bytes, &(uint16_t){(uint16_t)value}, bytes); /* padding is not zero */
            value >>= is_padded(kind) ? 16 - kind->bits : 0;
            plane->texels[k] = value / ((1 << kind->bits) - 1.0);
        }
        regions[i] = (VkBufferImageCopy){.bufferOffset = i * slot_B,
                                         .imageSubresource = {plane_aspects[i], 0, layer, 1},
                                         .imageExtent = {plane->width, plane->height, 1}};
        if (by_host)
            write_plane(p, i, way->disjoint, to, bytes * plane->channels);
    }
    const struct vkt_image whole = {
        .image = p->image, .aspect = VK_IMAGE_ASPECT_COLOR_BIT, .levels = 1, .layers = p->layers};
    VkCommandBuffer cmd = vkt_begin(&device);
    if (!by_host) {
        vkt_image_barrier(cmd, &whole, layer ? VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL : VK_IMAGE_LAYOUT_UNDEFINED,
                          VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
        vkCmdCopyBufferToImage(cmd, from.buffer, p->image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, kind->planes, regions);
    }
    vkt_image_barrier(cmd, &whole, by_host ? VK_IMAGE_LAYOUT_PREINITIALIZED : VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                      VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkCmdCopyImageToBuffer(cmd, p->image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, back.buffer, kind->planes, regions);
    vkt_image_barrier(cmd, &whole, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    vkt_end_submit(&device, cmd);
    assert_memory_equal(from.map, back.map, from.size_B);
    vkt_buffer_destroy(&device, &from);
    vkt_buffer_destroy(&device, &back);
}

/* `usage` in addition to copies and lookups: planes have it, formats of whole images do not. */
static struct picture *create_layers(const struct kind *kind, const struct way *way, VkImageUsageFlags usage,
                                     uint32_t layers)
{
    const VkImageCreateFlags views = VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT | VK_IMAGE_CREATE_EXTENDED_USAGE_BIT;
    struct picture *p = calloc(1, sizeof *p);
    assert_non_null(p);
    vkt_ok(vkCreateImage(device.device,
                         &(VkImageCreateInfo){
                             .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                             .flags = (way->disjoint ? VK_IMAGE_CREATE_DISJOINT_BIT : 0u) | (usage ? views : 0u),
                             .imageType = VK_IMAGE_TYPE_2D,
                             .format = kind->format,
                             .extent = {WIDTH, HEIGHT, 1},
                             .mipLevels = 1,
                             .arrayLayers = layers,
                             .samples = VK_SAMPLE_COUNT_1_BIT,
                             .tiling = way->linear ? VK_IMAGE_TILING_LINEAR : VK_IMAGE_TILING_OPTIMAL,
                             .initialLayout = way->linear ? VK_IMAGE_LAYOUT_PREINITIALIZED : VK_IMAGE_LAYOUT_UNDEFINED,
                             .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                                      VK_IMAGE_USAGE_TRANSFER_SRC_BIT | usage,
                         },
                         NULL, &p->image));
    p->layers = layers;
    bind_memory(p, kind, way->disjoint);
    for (uint32_t i = 0; i < layers; i++)
        upload(p, kind, way, i);
    create_conversion(p, kind, way);
    look_at(p, kind, 0, false);
    return p;
}

static struct picture *create_picture(const struct kind *kind, const struct way *way, VkImageUsageFlags usage)
{
    return create_layers(kind, way, usage, 1);
}

/* Frees the descriptor sets of all pictures, too. */
static void destroy_picture(struct picture *p)
{
    vkt_ok(vkResetDescriptorPool(device.device, device.descriptors, 0));
    vkDestroyImageView(device.device, p->view, NULL);
    vkDestroySampler(device.device, p->sampler, NULL);
    FUNCTION(vkDestroySamplerYcbcrConversionKHR)(device.device, p->conversion, NULL);
    vkDestroyImage(device.device, p->image, NULL);
    for (uint32_t i = 0; i < p->memory_count; i++)
        vkFreeMemory(device.device, p->memory[i], NULL);
    free(p);
}

static VkDescriptorSetLayout create_layout(const struct picture *p, VkShaderStageFlags stage)
{
    const VkDescriptorSetLayoutBinding bindings[] = {
        {0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, stage, &p->sampler},
        {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, stage, NULL}};
    VkDescriptorSetLayout layout;
    vkt_ok(vkCreateDescriptorSetLayout(
        device.device,
        &(VkDescriptorSetLayoutCreateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                           .bindingCount = stage == VK_SHADER_STAGE_COMPUTE_BIT ? 2 : 1,
                                           .pBindings = bindings},
        NULL, &layout));
    return layout;
}

static void check(const struct kind *kind, const struct way *way, const struct picture *p, uint32_t i,
                  const double got[3], bool clamped)
{
    const double u = (i % OUT_W + 0.5) / 2, v = (double)(i / OUT_W + 0.5) / 2;
    double want[3];
    expected(kind, way, p->planes, u, v, want);
    for (uint32_t c = 0; c < 3; c++) {
        const double w = clamped ? fmin(fmax(want[c], 0), 1) : want[c];
        if (!(fabs(w - got[c]) < 2.5 / 255))
            fail_msg("format %d, model %d, range %d, texel %u, channel %u: %f instead of %f", kind->format, way->model,
                     way->range, i, c, got[c], w);
    }
}

/* ---------------------------------------------------------------- cases */

static void sample_in_compute(const struct kind *kind, const struct way *way, const struct picture *p)
{
    struct vkt_buffer out = vkt_storage_buffer(&device, OUT_W * OUT_H * 4, 0);
    VkDescriptorSetLayout layout = create_layout(p, VK_SHADER_STAGE_COMPUTE_BIT);
    struct vkt_compute c = vkt_compute_create(
        &device, p->is_array ? VKT_SHADER(array_ycbcr_comp) : VKT_SHADER(ycbcr_comp), &layout, 1, 12, NULL);
    VkDescriptorSet set = vkt_set_alloc(&device, layout);
    vkt_set_texture(&device, set, 0, p->view, p->sampler);
    vkt_set_buffer(&device, set, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, out.buffer, 0, VK_WHOLE_SIZE);
    VkCommandBuffer cmd = vkt_begin(&device);
    vkt_compute_bind(cmd, &c, &set);
    vkCmdPushConstants(cmd, c.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 12, (uint32_t[]){OUT_W, OUT_H, p->layer - 1});
    vkCmdDispatch(cmd, (OUT_W + 3) / 4, (OUT_H + 3) / 4, 1);
    vkt_barrier_all(cmd);
    vkt_end_submit(&device, cmd);
    const float *colors = out.map;
    for (uint32_t i = 0; i < OUT_W * OUT_H; i++) {
        const double got[3] = {colors[4 * i], colors[4 * i + 1], colors[4 * i + 2]};
        check(kind, way, p, i, got, false);
        assert_float_equal(colors[4 * i + 3], 1, 0);
    }
    vkt_compute_destroy(&device, &c);
    vkt_buffer_destroy(&device, &out);
}

static void sample_in_fragments(const struct kind *kind, const struct way *way, const struct picture *p)
{
    struct vkt_target target =
        vkt_target_create(&device, OUT_W, OUT_H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    VkDescriptorSetLayout layout = create_layout(p, VK_SHADER_STAGE_FRAGMENT_BIT);
    struct vkt_pipeline pipeline =
        vkt_pipeline_create(&device, &(struct vkt_pipeline_info){
                                         .vs = VKT_SHADER(cover_vert),
                                         .fs = p->is_array ? VKT_SHADER(array_ycbcr_frag) : VKT_SHADER(ycbcr_frag),
                                         .pass = target.pass,
                                         .topology = VKT_TRIANGLES,
                                         .width = OUT_W,
                                         .height = OUT_H,
                                         .set_layouts = {layout},
                                         .set_layout_count = 1,
                                         .push_size_B = 12,
                                     });
    VkDescriptorSet set = vkt_set_alloc(&device, layout);
    vkt_set_texture(&device, set, 0, p->view, p->sampler);
    VkCommandBuffer cmd = vkt_begin(&device);
    vkt_begin_pass(cmd, &target, (const float[4]){0}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.layout, 0, 1, &set, 0, NULL);
    vkCmdPushConstants(cmd, pipeline.layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, 12,
                       (float[]){1.0f / OUT_W, 1.0f / OUT_H, (float)p->layer - 1});
    vkCmdDraw(cmd, 3, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(&device, cmd);
    struct vkt_picture out = vkt_read_target(&device, &target);
    for (uint32_t i = 0; i < OUT_W * OUT_H; i++) {
        const double got[3] = {out.rgba[4 * i] / 255.0, out.rgba[4 * i + 1] / 255.0, out.rgba[4 * i + 2] / 255.0};
        check(kind, way, p, i, got, true);
    }
    vkt_picture_free(&out);
    vkt_pipeline_destroy(&device, &pipeline);
    vkDestroyDescriptorSetLayout(device.device, layout, NULL);
    vkt_target_destroy(&device, &target);
}

static void conversions(void **state)
{
    for (uint32_t k = 0; k < VKT_COUNT(kinds); k++)
        for (uint32_t w = 0; w < VKT_COUNT(ways); w++) {
            struct picture *p = create_picture(&kinds[k], &ways[w], 0);
            sample_in_compute(&kinds[k], &ways[w], p);
            sample_in_fragments(&kinds[k], &ways[w], p);
            destroy_picture(p);
        }
}

/* Every layer, through a view of its own and through an array view. Each format in two of the ways, each way with four
 * formats: conversions() tries all of them with all. */
static void layers_are_converted(void **state)
{
    for (uint32_t k = 0; k < VKT_COUNT(kinds); k++)
        for (uint32_t w = k % 4; w < VKT_COUNT(ways); w += 4) {
            struct picture *p = create_layers(&kinds[k], &ways[w], 0, LAYERS);
            for (uint32_t i = 0; i < 2 * LAYERS - 1; i++) {
                look_at(p, &kinds[k], i < LAYERS ? i : i - LAYERS + 1, i >= LAYERS);
                sample_in_compute(&kinds[k], &ways[w], p);
                sample_in_fragments(&kinds[k], &ways[w], p);
            }
            destroy_picture(p);
        }
}

/* Copies layers of a plane to others of the image itself. The other layers and planes stay. */
static void layers_are_copied(void **state)
{
    for (uint32_t k = 0; k < VKT_COUNT(kinds); k++) {
        const uint32_t plane = k % kinds[k].planes;
        struct picture *p = create_layers(&kinds[k], &ways[k % VKT_COUNT(ways)], 0, LAYERS);
        const struct vkt_image whole = {
            .image = p->image, .aspect = VK_IMAGE_ASPECT_COLOR_BIT, .levels = 1, .layers = p->layers};
        VkCommandBuffer cmd = vkt_begin(&device);
        vkt_image_barrier(cmd, &whole, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, VK_IMAGE_LAYOUT_GENERAL);
        for (uint32_t i = 0; i + 1 < LAYERS; i++) {
            const VkImageCopy next = {.srcSubresource = {plane_aspects[plane], 0, i + 1, 1},
                                      .dstSubresource = {plane_aspects[plane], 0, i, 1},
                                      .extent = {p->all[0][plane].width, p->all[0][plane].height, 1}};
            vkCmdCopyImage(cmd, p->image, VK_IMAGE_LAYOUT_GENERAL, p->image, VK_IMAGE_LAYOUT_GENERAL, 1, &next);
            vkt_barrier_all(cmd);
            p->all[i][plane] = p->all[i + 1][plane];
        }
        vkt_image_barrier(cmd, &whole, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
        vkt_end_submit(&device, cmd);
        for (uint32_t i = 0; i < LAYERS; i++) {
            look_at(p, &kinds[k], i, false);
            sample_in_compute(&kinds[k], &ways[k % VKT_COUNT(ways)], p);
        }
        destroy_picture(p);
    }
}

/* Copies can use a plane like any other image. */
static void planes_are_images(void **state)
{
    const struct kind *kind = &kinds[0];
    struct vkt_buffer back = vkt_buffer_create(&device, WIDTH * HEIGHT / 2, VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
    struct vkt_image plain = vkt_image_create(
        &device, &(struct vkt_image_info){.format = VK_FORMAT_R8G8_UNORM,
                                          .width = WIDTH / 2,
                                          .height = HEIGHT / 2,
                                          .usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT});
    struct picture *p = create_picture(kind, &ways[0], 0);
    const struct vkt_image whole = {
        .image = p->image, .aspect = VK_IMAGE_ASPECT_COLOR_BIT, .levels = 1, .layers = p->layers};
    VkCommandBuffer cmd = vkt_begin(&device);
    vkt_image_barrier(cmd, &whole, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkt_image_barrier(cmd, &plain, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkCmdCopyImage(cmd, p->image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, plain.image,
                   VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1,
                   &(VkImageCopy){.srcSubresource = {VK_IMAGE_ASPECT_PLANE_1_BIT, 0, 0, 1},
                                  .dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                  .extent = {WIDTH / 2, HEIGHT / 2, 1}});
    vkt_image_barrier(cmd, &plain, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkCmdCopyImageToBuffer(cmd, plain.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, back.buffer, 1,
                           &(VkBufferImageCopy){.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                                .imageExtent = {WIDTH / 2, HEIGHT / 2, 1}});
    vkt_end_submit(&device, cmd);
    const uint8_t *bytes = back.map;
    for (uint32_t i = 0; i < WIDTH * HEIGHT / 2; i++)
        assert_int_equal(bytes[i], (int)lrint(p->planes[1].texels[i] * 255));
    destroy_picture(p);
    vkt_image_destroy(&device, &plain);
    vkt_buffer_destroy(&device, &back);
}

/* ---------------------------------------------------------------- planes that are written through views */

static VkFormat plane_format(const struct kind *kind, uint32_t plane)
{
    const bool is_pair = plane && kind->planes == 2;
    if (kind->bits == 10)
        return is_pair ? VK_FORMAT_R10X6G10X6_UNORM_2PACK16 : VK_FORMAT_R10X6_UNORM_PACK16;
    if (kind->bits == 12)
        return is_pair ? VK_FORMAT_R12X4G12X4_UNORM_2PACK16 : VK_FORMAT_R12X4_UNORM_PACK16;
    if (kind->bits == 16)
        return is_pair ? VK_FORMAT_R16G16_UNORM : VK_FORMAT_R16_UNORM;
    return is_pair ? VK_FORMAT_R8G8_UNORM : VK_FORMAT_R8_UNORM;
}

static VkImageView create_plane_view(const struct picture *p, const struct kind *kind, uint32_t i,
                                     VkImageUsageFlags usage)
{
    const VkImageViewUsageCreateInfo used = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_USAGE_CREATE_INFO, .usage = usage};
    VkImageView view;
    vkt_ok(vkCreateImageView(device.device,
                             &(VkImageViewCreateInfo){.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                                      .pNext = &used,
                                                      .image = p->image,
                                                      .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                                      .format = plane_format(kind, i),
                                                      .subresourceRange = {plane_aspects[i], 0, 1, p->layer, 1}},
                             NULL, &view));
    return view;
}

/* Checks the planes byte by byte: a channel of texel k has value() / 255. */
static void check_planes(struct picture *p, const struct kind *kind, VkImageLayout layout,
                         uint32_t value(uint32_t plane, uint32_t k, uint32_t channel))
{
    const uint32_t bytes = channel_B(kind);
    const struct vkt_image whole = {
        .image = p->image, .aspect = VK_IMAGE_ASPECT_COLOR_BIT, .levels = 1, .layers = p->layers};
    struct vkt_buffer back =
        vkt_buffer_create(&device, sizeof(uint16_t) * 2 * WIDTH * HEIGHT * 3, VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
    VkCommandBuffer cmd = vkt_begin(&device);
    vkt_image_barrier(cmd, &whole, layout, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    for (uint32_t i = 0; i < kind->planes; i++)
        vkCmdCopyImageToBuffer(cmd, p->image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, back.buffer, 1,
                               &(VkBufferImageCopy){.bufferOffset = i * (back.size_B / 3),
                                                    .imageSubresource = {plane_aspects[i], 0, p->layer, 1},
                                                    .imageExtent = {p->planes[i].width, p->planes[i].height, 1}});
    vkt_image_barrier(cmd, &whole, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    vkt_end_submit(&device, cmd);
    for (uint32_t i = 0; i < kind->planes; i++) {
        struct plane *plane = &p->planes[i];
        const uint8_t *from = (const uint8_t *)back.map + i * (back.size_B / 3);
        for (uint32_t k = 0; k < plane->width * plane->height * plane->channels; k++) {
            const uint32_t want = value(i, k / plane->channels, k % plane->channels) * (bytes == 2 ? 257 : 1);
            const uint32_t got = bytes == 2 ? from[2 * k] | (uint32_t)from[2 * k + 1] << 8 : from[k];
            if (got != want)
                fail_msg("format %d, plane %u, word %u: 0x%x instead of 0x%x", kind->format, i, k, got, want);
            plane->texels[k] = got / ((1 << kind->bits) - 1.0);
        }
    }
    vkt_buffer_destroy(&device, &back);
}

static uint32_t stored(uint32_t plane, uint32_t k, uint32_t channel)
{
    return (channel ? k * 53 + plane * 91 + 7 : k * 37 + plane * 91) & 255;
}

/* As video filters do: a shader stores to the planes, and another samples the whole. */
static void store_planes(uint32_t layers)
{
    for (uint32_t n = 0; n < VKT_COUNT(kinds); n++) {
        const struct kind *kind = &kinds[n];
        const struct way *way = &ways[n % VKT_COUNT(ways)];
        if (is_padded(kind))
            continue;
        struct picture *p = create_layers(kind, way, VK_IMAGE_USAGE_STORAGE_BIT, layers);
        look_at(p, kind, layers - 1, false);
        const struct vkt_image whole = {
            .image = p->image, .aspect = VK_IMAGE_ASPECT_COLOR_BIT, .levels = 1, .layers = p->layers};
        VkDescriptorSetLayout layout = vkt_set_layout_create(
            &device, (struct vkt_binding[]){{VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, VK_SHADER_STAGE_COMPUTE_BIT, 3}}, 1);
        struct vkt_compute c = vkt_compute_create(&device, VKT_SHADER(ycbcr_store_comp), &layout, 1, 4, NULL);
        VkDescriptorSet set = vkt_set_alloc(&device, layout);
        VkImageView views[3];
        for (uint32_t i = 0; i < 3; i++) {
            const uint32_t plane = i < kind->planes ? i : 0;
            views[i] = create_plane_view(p, kind, plane, VK_IMAGE_USAGE_STORAGE_BIT);
            vkt_set_image(&device, set, 0, i, views[i]);
        }
        VkCommandBuffer cmd = vkt_begin(&device);
        vkt_image_barrier(cmd, &whole, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, VK_IMAGE_LAYOUT_GENERAL);
        vkt_compute_bind(cmd, &c, &set);
        vkCmdPushConstants(cmd, c.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4, &kind->planes);
        vkCmdDispatch(cmd, (WIDTH + 3) / 4, (HEIGHT + 3) / 4, 1);
        vkt_barrier_all(cmd);
        vkt_end_submit(&device, cmd);
        check_planes(p, kind, VK_IMAGE_LAYOUT_GENERAL, stored);
        sample_in_compute(kind, way, p);
        sample_in_fragments(kind, way, p);
        for (uint32_t i = 0; i < 3; i++)
            vkDestroyImageView(device.device, views[i], NULL);
        vkt_compute_destroy(&device, &c);
        destroy_picture(p);
    }
}

static void planes_are_stored(void **state)
{
    store_planes(1);
    store_planes(LAYERS);
}

static uint32_t cleared(uint32_t plane, uint32_t k, uint32_t channel)
{
    return 60 + plane * 50 + channel * 19;
}

static void clear_plane(VkCommandBuffer cmd, const struct picture *p, const struct kind *kind, uint32_t i,
                        VkImageView view, VkRenderPass *pass_out, VkFramebuffer *framebuffer_out)
{
    const VkAttachmentDescription attachment = {.format = plane_format(kind, i),
                                                .samples = VK_SAMPLE_COUNT_1_BIT,
                                                .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                                .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                                .initialLayout = VK_IMAGE_LAYOUT_GENERAL,
                                                .finalLayout = VK_IMAGE_LAYOUT_GENERAL};
    const VkSubpassDescription subpass = {.colorAttachmentCount = 1,
                                          .pColorAttachments = &(VkAttachmentReference){0, VK_IMAGE_LAYOUT_GENERAL}};
    vkt_ok(vkCreateRenderPass(device.device,
                              &(VkRenderPassCreateInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                                        .attachmentCount = 1,
                                                        .pAttachments = &attachment,
                                                        .subpassCount = 1,
                                                        .pSubpasses = &subpass},
                              NULL, pass_out));
    vkt_ok(vkCreateFramebuffer(device.device,
                               &(VkFramebufferCreateInfo){.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                                          .renderPass = *pass_out,
                                                          .attachmentCount = 1,
                                                          .pAttachments = &view,
                                                          .width = p->planes[i].width,
                                                          .height = p->planes[i].height,
                                                          .layers = 1},
                               NULL, framebuffer_out));
    const VkClearValue color = {.color = {{(float)cleared(i, 0, 0) / 255, (float)cleared(i, 0, 1) / 255, 0, 1}}};
    vkCmdBeginRenderPass(cmd,
                         &(VkRenderPassBeginInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                                  .renderPass = *pass_out,
                                                  .framebuffer = *framebuffer_out,
                                                  .renderArea = {{0, 0}, {p->planes[i].width, p->planes[i].height}},
                                                  .clearValueCount = 1,
                                                  .pClearValues = &color},
                         VK_SUBPASS_CONTENTS_INLINE);
    vkCmdEndRenderPass(cmd);
}

static void draw_planes(uint32_t layers)
{
    for (uint32_t n = 0; n < VKT_COUNT(kinds); n++) {
        const struct kind *kind = &kinds[n];
        const struct way *way = &ways[n % VKT_COUNT(ways)];
        if (is_padded(kind))
            continue;
        struct picture *p = create_layers(kind, way, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, layers);
        look_at(p, kind, layers - 1, false);
        const struct vkt_image whole = {
            .image = p->image, .aspect = VK_IMAGE_ASPECT_COLOR_BIT, .levels = 1, .layers = p->layers};
        VkImageView views[3];
        VkRenderPass passes[3];
        VkFramebuffer framebuffers[3];
        VkCommandBuffer cmd = vkt_begin(&device);
        vkt_image_barrier(cmd, &whole, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, VK_IMAGE_LAYOUT_GENERAL);
        for (uint32_t i = 0; i < kind->planes; i++) {
            views[i] = create_plane_view(p, kind, i, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
            clear_plane(cmd, p, kind, i, views[i], &passes[i], &framebuffers[i]);
        }
        vkt_end_submit(&device, cmd);
        check_planes(p, kind, VK_IMAGE_LAYOUT_GENERAL, cleared);
        sample_in_compute(kind, way, p);
        sample_in_fragments(kind, way, p);
        for (uint32_t i = 0; i < kind->planes; i++) {
            vkDestroyFramebuffer(device.device, framebuffers[i], NULL);
            vkDestroyRenderPass(device.device, passes[i], NULL);
            vkDestroyImageView(device.device, views[i], NULL);
        }
        destroy_picture(p);
    }
}

static void planes_are_attachments(void **state)
{
    draw_planes(1);
    draw_planes(LAYERS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(conversions, vkt_check_messages),
        cmocka_unit_test_teardown(layers_are_converted, vkt_check_messages),
        cmocka_unit_test_teardown(layers_are_copied, vkt_check_messages),
        cmocka_unit_test_teardown(planes_are_images, vkt_check_messages),
        cmocka_unit_test_teardown(planes_are_stored, vkt_check_messages),
        cmocka_unit_test_teardown(planes_are_attachments, vkt_check_messages),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
