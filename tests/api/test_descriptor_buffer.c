/* SPDX-License-Identifier: MIT
 *
 * Descriptor buffers (VK_EXT_descriptor_buffer). What sets of pools do, sets in descriptor buffers must do as well:
 * other API tests show that, with in_buffers.c. This one shows what only descriptor buffers have: properties, several
 * buffers, offsets, embedded samplers, descriptors that the device writes, heaps of mutable descriptors, null
 * descriptors, and bytes that are no descriptors. Draws are compared with the reference, which draws with sets of
 * pools.
 */
#include <stdlib.h>
#include <string.h>
#include "vkt.h"
#include "cover.vert.h"
#include "descriptor_buffer.comp.h"
#include "descriptor_buffer.frag.h"
#include "descriptor_buffer.vert.h"
#include "descriptor_buffer_formats.comp.h"
#include "descriptor_buffer_heap.comp.h"
#include "descriptor_buffer_write.comp.h"
#include "subpass.frag.h"

#define COMPUTE       VK_SHADER_STAGE_COMPUTE_BIT
#define TYPE(t)       VK_DESCRIPTOR_TYPE_##t
#define BUFFER_LAYOUT VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT
#define HEAP_SIZE     500000u

static struct vkt device; /* with the extension */
static VkPhysicalDeviceDescriptorBufferPropertiesEXT limits = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_PROPERTIES_EXT};

static PFN_vkVoidFunction function(const char *name)
{
    PFN_vkVoidFunction f = vkGetDeviceProcAddr(device.device, name);
    assert_non_null(f);
    return f;
}
#define FUNCTION(name) ((PFN_##name)function(#name))

static int open_device(void **state)
{
    const char *const extensions[] = {VK_EXT_DESCRIPTOR_BUFFER_EXTENSION_NAME, VK_EXT_ROBUSTNESS_2_EXTENSION_NAME,
                                      VK_EXT_MUTABLE_DESCRIPTOR_TYPE_EXTENSION_NAME,
                                      VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME};
    VkPhysicalDeviceMutableDescriptorTypeFeaturesEXT mutable = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MUTABLE_DESCRIPTOR_TYPE_FEATURES_EXT,
        .mutableDescriptorType = VK_TRUE};
    VkPhysicalDeviceRobustness2FeaturesEXT robustness = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT,
        .pNext = &mutable,
        .nullDescriptor = VK_TRUE};
    VkPhysicalDeviceDescriptorBufferFeaturesEXT features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_FEATURES_EXT, .pNext = &robustness};
    vkt_request_version(VK_API_VERSION_1_3);
    struct vkt *t = vkt_device(VKT_TESTED);
    features.pNext = NULL;
    vkGetPhysicalDeviceFeatures2(
        t->physical,
        &(VkPhysicalDeviceFeatures2){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &features});
    features.pNext = &robustness;
    vkGetPhysicalDeviceProperties2(
        t->physical,
        &(VkPhysicalDeviceProperties2){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &limits});
    assert_true(features.descriptorBuffer);
    assert_true(features.descriptorBufferImageLayoutIgnored);
    assert_true(features.descriptorBufferPushDescriptors);
    device = vkt_device_create_chain(t, extensions, VKT_COUNT(extensions), &features);
    return 0;
}

static int close_device(void **state)
{
    vkt_device_close(&device);
    return vkt_teardown(state);
}

/* ---------------------------------------------------------------- memory with addresses */

struct addressed {
    struct vkt_buffer b;
    VkDeviceAddress at;
};

static struct addressed addressed_create(VkDeviceSize size_B, VkBufferUsageFlags usage)
{
    struct addressed a = {.b.size_B = size_B};
    VkMemoryRequirements needs;
    uint32_t type = 0;
    vkt_ok(vkCreateBuffer(device.device,
                          &(VkBufferCreateInfo){.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                                .size = size_B,
                                                .usage = usage | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT},
                          NULL, &a.b.buffer));
    vkGetBufferMemoryRequirements(device.device, a.b.buffer, &needs);
    while (!(needs.memoryTypeBits >> type & 1) ||
           !(device.memory.memoryTypes[type].propertyFlags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT))
        type++;
    const VkMemoryAllocateFlagsInfo flags = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                             .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
    vkt_ok(vkAllocateMemory(device.device,
                            &(VkMemoryAllocateInfo){.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                                    .pNext = &flags,
                                                    .allocationSize = needs.size,
                                                    .memoryTypeIndex = type},
                            NULL, &a.b.memory));
    vkt_ok(vkBindBufferMemory(device.device, a.b.buffer, a.b.memory, 0));
    vkt_ok(vkMapMemory(device.device, a.b.memory, 0, VK_WHOLE_SIZE, 0, &a.b.map));
    memset(a.b.map, 0, size_B);
    a.at = vkGetBufferDeviceAddress(
        device.device,
        &(VkBufferDeviceAddressInfo){.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, .buffer = a.b.buffer});
    assert_true(a.at != 0);
    return a;
}

static void addressed_destroy(struct addressed *a)
{
    vkt_buffer_destroy(&device, &a->b);
}

#define RESOURCES VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT
#define SAMPLERS  VK_BUFFER_USAGE_SAMPLER_DESCRIPTOR_BUFFER_BIT_EXT

static void bind_buffers(VkCommandBuffer cmd, const struct addressed *first, VkBufferUsageFlags first_usage,
                         const struct addressed *second, VkBufferUsageFlags second_usage)
{
    const VkDescriptorBufferBindingInfoEXT infos[] = {
        {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_BUFFER_BINDING_INFO_EXT, .address = first->at, .usage = first_usage},
        {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_BUFFER_BINDING_INFO_EXT,
         .address = second ? second->at : 0,
         .usage = second_usage}};
    FUNCTION(vkCmdBindDescriptorBuffersEXT)(cmd, second ? 2 : 1, infos);
}

/* ---------------------------------------------------------------- layouts and descriptors */

static VkDescriptorSetLayout layout_create(VkDescriptorSetLayoutCreateFlags flags,
                                           const VkDescriptorSetLayoutBinding *bindings, uint32_t count,
                                           const void *next)
{
    VkDescriptorSetLayout layout;
    vkt_ok(vkCreateDescriptorSetLayout(
        device.device,
        &(VkDescriptorSetLayoutCreateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                           .pNext = next,
                                           .flags = flags,
                                           .bindingCount = count,
                                           .pBindings = bindings},
        NULL, &layout));
    return layout;
}

static VkDeviceSize size_of_layout(VkDescriptorSetLayout layout)
{
    VkDeviceSize size_B;
    FUNCTION(vkGetDescriptorSetLayoutSizeEXT)(device.device, layout, &size_B);
    return size_B;
}

static VkDeviceSize offset_of(VkDescriptorSetLayout layout, uint32_t binding)
{
    VkDeviceSize offset_B;
    FUNCTION(vkGetDescriptorSetLayoutBindingOffsetEXT)(device.device, layout, binding, &offset_B);
    return offset_B;
}

static size_t size_of(VkDescriptorType type)
{
    switch (type) {
    case TYPE(SAMPLER):
        return limits.samplerDescriptorSize;
    case TYPE(COMBINED_IMAGE_SAMPLER):
        return limits.combinedImageSamplerDescriptorSize;
    case TYPE(SAMPLED_IMAGE):
        return limits.sampledImageDescriptorSize;
    case TYPE(STORAGE_IMAGE):
        return limits.storageImageDescriptorSize;
    case TYPE(UNIFORM_TEXEL_BUFFER):
        return limits.uniformTexelBufferDescriptorSize;
    case TYPE(STORAGE_TEXEL_BUFFER):
        return limits.storageTexelBufferDescriptorSize;
    case TYPE(UNIFORM_BUFFER):
        return limits.uniformBufferDescriptorSize;
    case TYPE(STORAGE_BUFFER):
        return limits.storageBufferDescriptorSize;
    default:
        assert_int_equal(type, TYPE(INPUT_ATTACHMENT));
        return limits.inputAttachmentDescriptorSize;
    }
}

/* Writes a descriptor; what lies behind it must not change. */
static void get(VkDescriptorType type, VkDescriptorDataEXT data, void *out)
{
    uint8_t bytes[512];
    memset(bytes, 0xa5, sizeof bytes);
    FUNCTION(vkGetDescriptorEXT)
    (device.device,
     &(VkDescriptorGetInfoEXT){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_GET_INFO_EXT, .type = type, .data = data},
     size_of(type), bytes);
    for (size_t i = size_of(type); i < sizeof bytes; i++)
        assert_int_equal(bytes[i], 0xa5);
    memcpy(out, bytes, size_of(type));
}

/* The members of the union for buffers are alike, and so are those for images. */
static void get_buffer(VkDescriptorType type, VkDeviceAddress address, VkDeviceSize range, VkFormat format, void *out)
{
    const VkDescriptorAddressInfoEXT info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_ADDRESS_INFO_EXT, .address = address, .range = range, .format = format};
    get(type, (VkDescriptorDataEXT){.pUniformBuffer = &info}, out);
}

static void get_image(VkDescriptorType type, VkImageView view, VkSampler sampler, void *out)
{
    const VkImageLayout layout =
        type == TYPE(STORAGE_IMAGE) ? VK_IMAGE_LAYOUT_GENERAL : VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
    const VkDescriptorImageInfo info = {sampler, view, layout};
    get(type, (VkDescriptorDataEXT){.pCombinedImageSampler = &info}, out);
}

static void get_sampler(VkSampler sampler, void *out)
{
    get(TYPE(SAMPLER), (VkDescriptorDataEXT){.pSampler = &sampler}, out);
}

static VkPipelineLayout pipeline_layout_create(const VkDescriptorSetLayout *layouts, uint32_t count,
                                               VkShaderStageFlags push_stages, uint32_t push_B)
{
    VkPipelineLayout layout;
    vkt_ok(vkCreatePipelineLayout(
        device.device,
        &(VkPipelineLayoutCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                      .setLayoutCount = count,
                                      .pSetLayouts = layouts,
                                      .pushConstantRangeCount = push_B > 0,
                                      .pPushConstantRanges = &(VkPushConstantRange){push_stages, 0, push_B}},
        NULL, &layout));
    return layout;
}

static VkPipeline compute_create(struct vkt_shader shader, VkPipelineLayout layout)
{
    VkPipeline pipeline;
    VkShaderModule module = vkt_module_create(&device, shader);
    vkt_ok(vkCreateComputePipelines(
        device.device, VK_NULL_HANDLE, 1,
        &(VkComputePipelineCreateInfo){.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                       .flags = VK_PIPELINE_CREATE_DESCRIPTOR_BUFFER_BIT_EXT,
                                       .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                 .stage = COMPUTE,
                                                 .module = module,
                                                 .pName = "main"},
                                       .layout = layout},
        NULL, &pipeline));
    vkDestroyShaderModule(device.device, module, NULL);
    return pipeline;
}

static void set_offset(VkCommandBuffer cmd, VkPipelineBindPoint point, VkPipelineLayout layout, uint32_t set,
                       uint32_t buffer, VkDeviceSize offset_B)
{
    FUNCTION(vkCmdSetDescriptorBufferOffsetsEXT)(cmd, point, layout, set, 1, &buffer, &offset_B);
}

/* ---------------------------------------------------------------- properties */

/* The limits that Vulkan requires, and those of the software devices that applications know. */
static void test_properties(void **state)
{
    const size_t sizes[] = {limits.samplerDescriptorSize,
                            limits.combinedImageSamplerDescriptorSize,
                            limits.sampledImageDescriptorSize,
                            limits.storageImageDescriptorSize,
                            limits.uniformTexelBufferDescriptorSize,
                            limits.robustUniformTexelBufferDescriptorSize,
                            limits.storageTexelBufferDescriptorSize,
                            limits.robustStorageTexelBufferDescriptorSize,
                            limits.uniformBufferDescriptorSize,
                            limits.robustUniformBufferDescriptorSize,
                            limits.storageBufferDescriptorSize,
                            limits.robustStorageBufferDescriptorSize,
                            limits.inputAttachmentDescriptorSize};
    size_t largest = 0;
    for (uint32_t i = 0; i < VKT_COUNT(sizes); i++) {
        assert_in_range(sizes[i], 4, 256);
        assert_int_equal(sizes[i] % 4, 0);
        if (sizes[i] > largest)
            largest = sizes[i];
    }
    assert_true(limits.combinedImageSamplerDescriptorSingleArray);
    assert_true(limits.bufferlessPushDescriptors);
    assert_in_range(limits.descriptorBufferOffsetAlignment, 1, 4);
    assert_true(limits.maxDescriptorBufferBindings >= 8);
    assert_true(limits.maxResourceDescriptorBufferBindings >= 8);
    assert_true(limits.maxSamplerDescriptorBufferBindings >= 8);
    assert_true(limits.maxEmbeddedImmutableSamplerBindings >= 8);
    assert_true(limits.maxEmbeddedImmutableSamplers >= 2032);
    assert_true(limits.maxSamplerDescriptorBufferRange >= 1u << 27);
    assert_true(limits.maxResourceDescriptorBufferRange >= 1u << 28);
    assert_true(limits.maxResourceDescriptorBufferRange >= ((1u << 20) - (1u << 15)) * (VkDeviceSize)largest);
    assert_true(limits.samplerDescriptorBufferAddressSpaceSize >= 1u << 27);
    assert_true(limits.resourceDescriptorBufferAddressSpaceSize >= 1u << 27);
    assert_true(limits.descriptorBufferAddressSpaceSize >= 1u << 27);
}

/* Bindings do not overlap, and the layout's size covers them. */
static void test_layouts(void **state)
{
    const VkDescriptorSetLayoutBinding bindings[] = {
        {5, TYPE(STORAGE_BUFFER), 3, COMPUTE, NULL},
        {0, TYPE(COMBINED_IMAGE_SAMPLER), 2, COMPUTE, NULL},
        {2, TYPE(INLINE_UNIFORM_BLOCK), 20, COMPUTE, NULL},
        {7, TYPE(SAMPLER), 1, COMPUTE, NULL},
        {9, TYPE(INPUT_ATTACHMENT), 4, VK_SHADER_STAGE_FRAGMENT_BIT, NULL}};
    VkDescriptorSetLayout layout = layout_create(BUFFER_LAYOUT, bindings, VKT_COUNT(bindings), NULL);
    const VkDeviceSize size_B = size_of_layout(layout);
    uint8_t *owner = calloc(1, size_B);
    for (uint32_t i = 0; i < VKT_COUNT(bindings); i++) {
        const bool is_block = bindings[i].descriptorType == TYPE(INLINE_UNIFORM_BLOCK);
        const VkDeviceSize at = offset_of(layout, bindings[i].binding),
                           own_B = bindings[i].descriptorCount * (is_block ? 1 : size_of(bindings[i].descriptorType));
        assert_true(at + own_B <= size_B);
        assert_int_equal(at % 4, 0);
        for (VkDeviceSize k = 0; k < own_B; k++) {
            assert_int_equal(owner[at + k], 0);
            owner[at + k] = 1;
        }
    }
    free(owner);
    vkDestroyDescriptorSetLayout(device.device, layout, NULL);
    layout = layout_create(BUFFER_LAYOUT, NULL, 0, NULL);
    assert_int_equal(size_of_layout(layout), 0);
    vkDestroyDescriptorSetLayout(device.device, layout, NULL);
}

/* ---------------------------------------------------------------- descriptors of all types */

#define IMAGE_PX 4u

/* Resources for descriptor_buffer.comp, whose values follow from `seed`. */
struct resources {
    struct addressed uniform, storage, texels, stored_texels;
    struct vkt_image image, others[2], stored;
    uint32_t seed;
};

static struct vkt_image image_create(uint32_t seed)
{
    uint8_t texels[IMAGE_PX * IMAGE_PX * 4];
    for (uint32_t i = 0; i < IMAGE_PX * IMAGE_PX; i++) {
        texels[4 * i] = (uint8_t)(seed + i % IMAGE_PX * 10);
        texels[4 * i + 1] = (uint8_t)(seed + i / IMAGE_PX * 10);
        texels[4 * i + 2] = (uint8_t)seed;
        texels[4 * i + 3] = 255;
    }
    struct vkt_image image = vkt_image_create(
        &device, &(struct vkt_image_info){.format = VK_FORMAT_R8G8B8A8_UNORM,
                                          .width = IMAGE_PX,
                                          .height = IMAGE_PX,
                                          .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                                                   VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT});
    vkt_image_upload(&device, &image, 0, 0, texels, sizeof texels);
    return image;
}

static struct resources resources_create(uint32_t seed)
{
    struct resources r = {.seed = seed};
    r.uniform = addressed_create(256, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT);
    r.storage = addressed_create(256, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
    r.texels = addressed_create(256, VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT);
    r.stored_texels = addressed_create(256, VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT);
    for (uint32_t i = 0; i < 64; i++) {
        ((uint32_t *)r.uniform.b.map)[i] = seed + i;
        ((uint32_t *)r.storage.b.map)[i] = seed + 100 + i;
        ((uint32_t *)r.texels.b.map)[i] = seed + 200 + i;
        ((uint32_t *)r.stored_texels.b.map)[i] = seed + 300 + i;
    }
    r.image = image_create(seed);
    r.others[0] = image_create(seed + 1);
    r.others[1] = image_create(seed + 2);
    r.stored = image_create(seed + 3);
    VkCommandBuffer cmd = vkt_begin(&device);
    vkt_image_barrier(cmd, &r.stored, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, VK_IMAGE_LAYOUT_GENERAL);
    vkt_end_submit(&device, cmd);
    return r;
}

static void resources_destroy(struct resources *r)
{
    addressed_destroy(&r->uniform);
    addressed_destroy(&r->storage);
    addressed_destroy(&r->texels);
    addressed_destroy(&r->stored_texels);
    vkt_image_destroy(&device, &r->image);
    vkt_image_destroy(&device, &r->others[0]);
    vkt_image_destroy(&device, &r->others[1]);
    vkt_image_destroy(&device, &r->stored);
}

static const VkDescriptorSetLayoutBinding resource_bindings[] = {
    {0, TYPE(UNIFORM_BUFFER), 1, COMPUTE, NULL},       {1, TYPE(STORAGE_BUFFER), 1, COMPUTE, NULL},
    {2, TYPE(UNIFORM_TEXEL_BUFFER), 1, COMPUTE, NULL}, {3, TYPE(STORAGE_TEXEL_BUFFER), 1, COMPUTE, NULL},
    {4, TYPE(SAMPLED_IMAGE), 1, COMPUTE, NULL},        {6, TYPE(COMBINED_IMAGE_SAMPLER), 2, COMPUTE, NULL},
    {7, TYPE(STORAGE_IMAGE), 1, COMPUTE, NULL},        {8, TYPE(INLINE_UNIFORM_BLOCK), 32, COMPUTE, NULL}};

/* The layouts, pipeline and samplers of descriptor_buffer.comp. */
struct all_kinds {
    VkSampler wrapping, clamping;
    VkDescriptorSetLayout layouts[4];
    VkPipelineLayout layout;
    VkPipeline pipeline;
    struct addressed results;
};

static struct all_kinds all_kinds_create(void)
{
    struct all_kinds k;
    k.wrapping = vkt_sampler_create(&device, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                    VK_SAMPLER_ADDRESS_MODE_REPEAT, 0);
    k.clamping = vkt_sampler_create(&device, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                    VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, 0);
    const VkDescriptorSetLayoutBinding samplers = {1, TYPE(SAMPLER), 2, COMPUTE, NULL},
                                       embedded = {0, TYPE(SAMPLER), 1, COMPUTE, &k.clamping},
                                       results = {0, TYPE(STORAGE_BUFFER), 1, COMPUTE, NULL};
    k.layouts[0] = layout_create(BUFFER_LAYOUT, resource_bindings, VKT_COUNT(resource_bindings), NULL);
    k.layouts[1] = layout_create(BUFFER_LAYOUT, &samplers, 1, NULL);
    k.layouts[2] = layout_create(BUFFER_LAYOUT | VK_DESCRIPTOR_SET_LAYOUT_CREATE_EMBEDDED_IMMUTABLE_SAMPLERS_BIT_EXT,
                                 &embedded, 1, NULL);
    k.layouts[3] =
        layout_create(BUFFER_LAYOUT | VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR, &results, 1, NULL);
    k.layout = pipeline_layout_create(k.layouts, 4, 0, 0);
    k.pipeline = compute_create(VKT_SHADER(descriptor_buffer_comp), k.layout);
    k.results = addressed_create(2 * 16 * 8 * 16, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
    return k;
}

static void all_kinds_destroy(struct all_kinds *k)
{
    addressed_destroy(&k->results);
    vkDestroyPipeline(device.device, k->pipeline, NULL);
    vkDestroyPipelineLayout(device.device, k->layout, NULL);
    for (uint32_t i = 0; i < 4; i++)
        vkDestroyDescriptorSetLayout(device.device, k->layouts[i], NULL);
    vkDestroySampler(device.device, k->wrapping, NULL);
    vkDestroySampler(device.device, k->clamping, NULL);
}

static void write_resources(const struct all_kinds *k, const struct resources *r, uint8_t *at)
{
    const VkDescriptorSetLayout layout = k->layouts[0];
    get_buffer(TYPE(UNIFORM_BUFFER), r->uniform.at + 16, 16, 0, at + offset_of(layout, 0));
    get_buffer(TYPE(STORAGE_BUFFER), r->storage.at + 32, 64, 0, at + offset_of(layout, 1));
    get_buffer(TYPE(UNIFORM_TEXEL_BUFFER), r->texels.at + 16, 48, VK_FORMAT_R32_UINT, at + offset_of(layout, 2));
    get_buffer(TYPE(STORAGE_TEXEL_BUFFER), r->stored_texels.at + 64, 20, VK_FORMAT_R32_UINT, at + offset_of(layout, 3));
    get_image(TYPE(SAMPLED_IMAGE), r->image.view, VK_NULL_HANDLE, at + offset_of(layout, 4));
    for (uint32_t i = 0; i < 2; i++)
        get_image(TYPE(COMBINED_IMAGE_SAMPLER), r->others[i].view, k->clamping,
                  at + offset_of(layout, 6) + i * limits.combinedImageSamplerDescriptorSize);
    get_image(TYPE(STORAGE_IMAGE), r->stored.view, VK_NULL_HANDLE, at + offset_of(layout, 7));
    for (uint32_t i = 0; i < 8; i++)
        ((uint32_t *)(void *)(at + offset_of(layout, 8)))[i] = r->seed + 400 + i;
}

static void write_samplers(const struct all_kinds *k, uint8_t *at)
{
    get_sampler(k->wrapping, at + offset_of(k->layouts[1], 1));
    get_sampler(k->clamping, at + offset_of(k->layouts[1], 1) + limits.samplerDescriptorSize);
}

/* The results of dispatch `number`, into which they are pushed. */
static void push_results(VkCommandBuffer cmd, const struct all_kinds *k, uint32_t number)
{
    FUNCTION(vkCmdPushDescriptorSetKHR)
    (cmd, VK_PIPELINE_BIND_POINT_COMPUTE, k->layout, 3, 1,
     &(VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                             .descriptorCount = 1,
                             .descriptorType = TYPE(STORAGE_BUFFER),
                             .pBufferInfo = &(VkDescriptorBufferInfo){k->results.b.buffer, 2048 * number, 2048}});
}

static void assert_results(const struct all_kinds *k, uint32_t number, uint32_t seed)
{
    const uint32_t(*result)[8][4] = (void *)((uint8_t *)k->results.b.map + 2048 * number);
    for (uint32_t i = 0; i < 16; i++) {
        const uint32_t odd = i & 1, last_px = IMAGE_PX - 1;
        const uint32_t expected[8][4] = {
            {seed + 4, seed + 5, seed + 6, seed + 7},
            {seed + 109, 16, IMAGE_PX, 12},
            {seed + 205, seed + 317, 5, IMAGE_PX},
            {seed + (odd ? last_px : 1) * 10, seed + 20, seed, 255}, /* 1.25 wraps to 0.25, or is clamped */
            {seed + last_px * 10, seed + 20, seed, 255},
            {seed + 1 + odd + 30, seed + 1 + odd + 20, seed + 1 + odd, 255},
            {seed + 3, seed + 3, seed + 3, 255},
            {seed + 400 + 4 * odd, seed + 401 + 4 * odd, seed + 402 + 4 * odd, seed + 403 + 4 * odd}};
        for (uint32_t n = 0; n < 8; n++)
            assert_memory_equal(result[i][n], expected[n], sizeof expected[n]);
    }
}

static void assert_stored(const struct resources *r)
{
    assert_int_equal(((uint32_t *)r->storage.b.map)[8 + 2], r->seed + 110 + 16);
    assert_int_equal(((uint32_t *)r->stored_texels.b.map)[16 + 2], 77);
}

/* Two sets in one buffer, at offsets of 4 bytes, and samplers in another. The first dispatch's set is bound again
 * afterwards, and the buffers are bound in the other order. */
static void test_all_types(void **state)
{
    struct all_kinds k = all_kinds_create();
    struct resources r[2] = {resources_create(20), resources_create(120)};
    const VkDeviceSize step_B = size_of_layout(k.layouts[0]) + 20;
    struct addressed resources = addressed_create(4 + 2 * step_B, RESOURCES),
                     samplers = addressed_create(64 + size_of_layout(k.layouts[1]), SAMPLERS);
    for (uint32_t i = 0; i < 2; i++)
        write_resources(&k, &r[i], (uint8_t *)resources.b.map + 4 + i * step_B);
    write_samplers(&k, (uint8_t *)samplers.b.map + 64);
    VkCommandBuffer cmd = vkt_begin(&device);
    bind_buffers(cmd, &resources, RESOURCES, &samplers, SAMPLERS);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, k.pipeline);
    FUNCTION(vkCmdBindDescriptorBufferEmbeddedSamplersEXT)(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, k.layout, 2);
    const uint32_t indices[] = {0, 1};
    FUNCTION(vkCmdSetDescriptorBufferOffsetsEXT)
    (cmd, VK_PIPELINE_BIND_POINT_COMPUTE, k.layout, 0, 2, indices, (const VkDeviceSize[]){4, 64});
    push_results(cmd, &k, 0);
    vkCmdDispatch(cmd, 1, 1, 1);
    bind_buffers(cmd, &samplers, SAMPLERS, &resources, RESOURCES);
    set_offset(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, k.layout, 0, 1, 4 + step_B);
    set_offset(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, k.layout, 1, 0, 64);
    push_results(cmd, &k, 1);
    vkCmdDispatch(cmd, 1, 1, 1);
    vkt_barrier_all(cmd);
    vkt_ok(vkEndCommandBuffer(cmd));
    vkt_submit(&device, cmd);
    for (uint32_t i = 0; i < 2; i++) {
        assert_results(&k, i, r[i].seed);
        assert_stored(&r[i]);
    }
    vkFreeCommandBuffers(device.device, device.pool, 1, &cmd);
    addressed_destroy(&resources);
    addressed_destroy(&samplers);
    resources_destroy(&r[0]);
    resources_destroy(&r[1]);
    all_kinds_destroy(&k);
}

/* All descriptors are null: loads give zero. */
static void test_nulls(void **state)
{
    struct all_kinds k = all_kinds_create();
    const VkDescriptorSetLayout layout = k.layouts[0];
    struct addressed resources = addressed_create(size_of_layout(layout), RESOURCES),
                     samplers = addressed_create(size_of_layout(k.layouts[1]), SAMPLERS);
    uint8_t *at = resources.b.map;
    memset(at, 0xee, size_of_layout(layout));
    for (uint32_t i = 0; i < 4; i++)
        get(resource_bindings[i].descriptorType, (VkDescriptorDataEXT){.pUniformBuffer = NULL},
            at + offset_of(layout, i));
    get_image(TYPE(SAMPLED_IMAGE), VK_NULL_HANDLE, VK_NULL_HANDLE, at + offset_of(layout, 4));
    for (uint32_t i = 0; i < 2; i++)
        get_image(TYPE(COMBINED_IMAGE_SAMPLER), VK_NULL_HANDLE, k.clamping,
                  at + offset_of(layout, 6) + i * limits.combinedImageSamplerDescriptorSize);
    get(TYPE(STORAGE_IMAGE), (VkDescriptorDataEXT){.pStorageImage = NULL}, at + offset_of(layout, 7));
    memset(at + offset_of(layout, 8), 0, 32);
    write_samplers(&k, samplers.b.map);
    memset(k.results.b.map, 0xcc, 2048);
    VkCommandBuffer cmd = vkt_begin(&device);
    bind_buffers(cmd, &resources, RESOURCES, &samplers, SAMPLERS);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, k.pipeline);
    FUNCTION(vkCmdBindDescriptorBufferEmbeddedSamplersEXT)(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, k.layout, 2);
    set_offset(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, k.layout, 0, 0, 0);
    set_offset(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, k.layout, 1, 1, 0);
    push_results(cmd, &k, 0);
    vkCmdDispatch(cmd, 1, 1, 1);
    vkt_barrier_all(cmd);
    vkt_end_submit(&device, cmd);
    for (uint32_t i = 0; i < 16 * 32; i++)
        assert_int_equal(((uint32_t *)k.results.b.map)[i], 0);
    addressed_destroy(&resources);
    addressed_destroy(&samplers);
    all_kinds_destroy(&k);
}

/* ---------------------------------------------------------------- formats that are not declared */

static struct vkt_image storage_image_create(VkFormat format, const void *texels, VkDeviceSize size_B)
{
    struct vkt_image image = vkt_image_create(
        &device, &(struct vkt_image_info){.format = format,
                                          .width = IMAGE_PX,
                                          .height = IMAGE_PX,
                                          .usage = VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_SAMPLED_BIT |
                                                   VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT});
    vkt_image_upload(&device, &image, 0, 0, texels, size_B);
    VkCommandBuffer cmd = vkt_begin(&device);
    vkt_image_barrier(cmd, &image, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, VK_IMAGE_LAYOUT_GENERAL);
    vkt_end_submit(&device, cmd);
    return image;
}

/* The shader declares rgba8, the views are R8 or R32F: not valid, but FFmpeg does it, and all drivers use the view's
 * format. */
static void test_other_formats(void **state)
{
    uint8_t bytes[IMAGE_PX * IMAGE_PX], halves[IMAGE_PX * IMAGE_PX], zeros[4 * IMAGE_PX * IMAGE_PX] = {0};
    float floats[IMAGE_PX * IMAGE_PX];
    for (uint32_t i = 0; i < VKT_COUNT(bytes); i++)
        bytes[i] = (uint8_t)(16 * i);
    struct vkt_image from = storage_image_create(VK_FORMAT_R8_UNORM, bytes, sizeof bytes),
                     byte_image = storage_image_create(VK_FORMAT_R8_UNORM, zeros, sizeof bytes),
                     float_image = storage_image_create(VK_FORMAT_R32_SFLOAT, zeros, sizeof zeros);
    struct addressed texels = addressed_create(sizeof floats, VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT);
    const VkDescriptorSetLayoutBinding bindings[] = {{0, TYPE(STORAGE_IMAGE), 2, COMPUTE, NULL},
                                                     {1, TYPE(STORAGE_TEXEL_BUFFER), 1, COMPUTE, NULL}};
    VkDescriptorSetLayout set_layout = layout_create(BUFFER_LAYOUT, bindings, VKT_COUNT(bindings), NULL);
    VkPipelineLayout layout = pipeline_layout_create(&set_layout, 1, 0, 0);
    VkPipeline pipeline = compute_create(VKT_SHADER(descriptor_buffer_formats_comp), layout);
    const VkDeviceSize size_B = size_of_layout(set_layout);
    struct addressed sets = addressed_create(2 * size_B, RESOURCES);
    VkCommandBuffer cmd = vkt_begin(&device);
    bind_buffers(cmd, &sets, RESOURCES, NULL, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    for (uint32_t i = 0; i < 2; i++) {
        set_offset(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 0, i * size_B);
        vkCmdDispatch(cmd, 1, 1, 1);
        vkt_barrier_all(cmd);
    }
    vkt_image_barrier(cmd, &byte_image, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkt_image_barrier(cmd, &float_image, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkt_ok(vkEndCommandBuffer(cmd));
    for (uint32_t i = 0; i < 2; i++) {
        uint8_t *at = (uint8_t *)sets.b.map + i * size_B + offset_of(set_layout, 0);
        get_image(TYPE(STORAGE_IMAGE), from.view, VK_NULL_HANDLE, at);
        get_image(TYPE(STORAGE_IMAGE), i ? float_image.view : byte_image.view, VK_NULL_HANDLE,
                  at + limits.storageImageDescriptorSize);
        get_buffer(TYPE(STORAGE_TEXEL_BUFFER), texels.at, sizeof floats, VK_FORMAT_R32_SFLOAT,
                   (uint8_t *)sets.b.map + i * size_B + offset_of(set_layout, 1));
    }
    vkt_submit(&device, cmd);
    vkt_read_image(&device, &byte_image, 0, 0, halves, sizeof halves);
    vkt_read_image(&device, &float_image, 0, 0, floats, sizeof floats);
    for (uint32_t i = 0; i < VKT_COUNT(bytes); i++) {
        assert_int_equal(halves[i], bytes[i] / 2);
        assert_int_equal(floats[i] * 510000 + 0.5f, bytes[i] * 1000);
        assert_int_equal(((float *)texels.b.map)[i], i);
    }
    vkFreeCommandBuffers(device.device, device.pool, 1, &cmd);
    addressed_destroy(&sets);
    addressed_destroy(&texels);
    vkDestroyPipeline(device.device, pipeline, NULL);
    vkDestroyPipelineLayout(device.device, layout, NULL);
    vkDestroyDescriptorSetLayout(device.device, set_layout, NULL);
    vkt_image_destroy(&device, &from);
    vkt_image_destroy(&device, &byte_image);
    vkt_image_destroy(&device, &float_image);
}

/* ---------------------------------------------------------------- descriptors that the device writes */

/* One command buffer: a dispatch with descriptors that the host has written, a copy of others over them and a second
 * dispatch, and a third after a shader has written those of the first again. Only the bytes of set 0 change. */
static void test_written_by_device(void **state)
{
    struct all_kinds k = all_kinds_create();
    struct resources r[2] = {resources_create(30), resources_create(130)};
    const VkDeviceSize size_B = size_of_layout(k.layouts[0]);
    struct addressed resources =
        addressed_create(size_B, RESOURCES | VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
    struct addressed samplers = addressed_create(size_of_layout(k.layouts[1]), SAMPLERS);
    struct addressed kept =
        addressed_create(2 * size_B, VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
    struct vkt_compute writer =
        vkt_compute_create_simple(&device, VKT_SHADER(descriptor_buffer_write_comp), 2, 12, NULL);
    const VkDescriptorSet writer_set =
        vkt_compute_set(&device, &writer, (const struct vkt_buffer[]){kept.b, resources.b}, 2);
    write_resources(&k, &r[0], resources.b.map);
    write_resources(&k, &r[0], kept.b.map);
    write_resources(&k, &r[1], (uint8_t *)kept.b.map + size_B);
    write_samplers(&k, samplers.b.map);
    VkCommandBuffer cmd = vkt_begin(&device);
    for (uint32_t i = 0; i < 3; i++) {
        if (i == 1)
            vkCmdCopyBuffer(cmd, kept.b.buffer, resources.b.buffer, 1, &(VkBufferCopy){size_B, 0, size_B});
        if (i == 2) {
            vkt_compute_bind(cmd, &writer, &writer_set);
            vkCmdPushConstants(cmd, writer.layout, COMPUTE, 0, 12, (const uint32_t[]){0, 0, (uint32_t)size_B / 4});
            vkCmdDispatch(cmd, (uint32_t)size_B / 256 + 1, 1, 1);
        }
        vkCmdPipelineBarrier2(
            cmd, &(VkDependencyInfo){.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
                                     .memoryBarrierCount = 1,
                                     .pMemoryBarriers = &(VkMemoryBarrier2){
                                         .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
                                         .srcStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
                                         .srcAccessMask = VK_ACCESS_2_MEMORY_WRITE_BIT,
                                         .dstStageMask = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
                                         .dstAccessMask = VK_ACCESS_2_DESCRIPTOR_BUFFER_READ_BIT_EXT |
                                                          VK_ACCESS_2_SHADER_READ_BIT | VK_ACCESS_2_SHADER_WRITE_BIT}});
        bind_buffers(cmd, &resources, RESOURCES, &samplers, SAMPLERS);
        vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, k.pipeline);
        FUNCTION(vkCmdBindDescriptorBufferEmbeddedSamplersEXT)(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, k.layout, 2);
        set_offset(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, k.layout, 0, 0, 0);
        set_offset(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, k.layout, 1, 1, 0);
        push_results(cmd, &k, i & 1);
        vkCmdDispatch(cmd, 1, 1, 1);
        vkt_barrier_all(cmd);
    }
    vkt_end_submit(&device, cmd);
    const uint32_t *again = k.results.b.map;
    assert_int_equal(again[0], r[0].seed + 4);                                    /* the third dispatch's */
    assert_int_equal(((uint32_t *)r[0].storage.b.map)[10], r[0].seed + 110 + 32); /* both have added to it */
    assert_results(&k, 1, r[1].seed);
    assert_stored(&r[1]);
    vkt_compute_destroy(&device, &writer);
    addressed_destroy(&kept);
    addressed_destroy(&resources);
    addressed_destroy(&samplers);
    resources_destroy(&r[0]);
    resources_destroy(&r[1]);
    all_kinds_destroy(&k);
}

/* ---------------------------------------------------------------- heaps */

/* 500,000 mutable descriptors and 2,048 samplers. The shader's own buffer is one of the descriptors. */
static void test_heap(void **state)
{
    static const VkDescriptorType types[] = {TYPE(SAMPLED_IMAGE),        TYPE(STORAGE_IMAGE),
                                             TYPE(UNIFORM_TEXEL_BUFFER), TYPE(STORAGE_TEXEL_BUFFER),
                                             TYPE(UNIFORM_BUFFER),       TYPE(STORAGE_BUFFER)};
    const VkMutableDescriptorTypeListEXT list = {VKT_COUNT(types), types};
    const VkDescriptorBindingFlags flag = VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT;
    const VkDescriptorSetLayoutBindingFlagsCreateInfo flags = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO,
        .bindingCount = 1,
        .pBindingFlags = &flag};
    const VkMutableDescriptorTypeCreateInfoEXT mutable = {.sType =
                                                              VK_STRUCTURE_TYPE_MUTABLE_DESCRIPTOR_TYPE_CREATE_INFO_EXT,
                                                          .pNext = &flags,
                                                          .mutableDescriptorTypeListCount = 1,
                                                          .pMutableDescriptorTypeLists = &list};
    const VkDescriptorSetLayoutBinding resource = {0, TYPE(MUTABLE_EXT), HEAP_SIZE, COMPUTE, NULL},
                                       sampler = {0, TYPE(SAMPLER), 2048, COMPUTE, NULL};
    const VkDescriptorSetLayout layouts[] = {layout_create(BUFFER_LAYOUT, &resource, 1, &mutable),
                                             layout_create(BUFFER_LAYOUT, &sampler, 1, &flags)};
    const VkDeviceSize stride_B = limits.sampledImageDescriptorSize; /* the largest of the types */
    assert_true(size_of_layout(layouts[0]) >= HEAP_SIZE * stride_B);
    struct addressed heap = addressed_create(size_of_layout(layouts[0]), RESOURCES),
                     samplers = addressed_create(2048 * limits.samplerDescriptorSize, SAMPLERS),
                     list_buffer = addressed_create(256, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
    struct resources r = resources_create(40);
    const VkSampler wrapping = vkt_sampler_create(&device, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                                  VK_SAMPLER_ADDRESS_MODE_REPEAT, 0),
                    clamping = vkt_sampler_create(&device, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                                  VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, 0);
    /* As many samplers as Direct3D's heaps have are beyond the limits for layouts of pools, which Vulkan also has for
     * descriptor buffers. Applications use them all the same. */
    vkt_accept_message(vkt_device(VKT_TESTED), "VUID-VkPipelineLayoutCreateInfo-descriptorType-03016 "
                                               "VUID-VkPipelineLayoutCreateInfo-descriptorType-03028");
    VkPipelineLayout layout = pipeline_layout_create(layouts, 2, COMPUTE, 4);
    VkPipeline pipeline = compute_create(VKT_SHADER(descriptor_buffer_heap_comp), layout);
    uint32_t *words = list_buffer.b.map, out_index = HEAP_SIZE - 1;
    for (uint32_t i = 0; i < 16; i++) {
        uint8_t *at = (uint8_t *)heap.b.map + offset_of(layouts[0], 0) + (words[i] = i * 31249 + 7) * stride_B;
        switch (words[16 + i] = i % 5) {
        case 0:
            get_buffer(TYPE(STORAGE_BUFFER), r.storage.at, 256, 0, at);
            break;
        case 1:
            get_buffer(TYPE(UNIFORM_BUFFER), r.uniform.at, 256, 0, at);
            break;
        case 2:
            get_buffer(TYPE(UNIFORM_TEXEL_BUFFER), r.texels.at, 256, VK_FORMAT_R32_UINT, at);
            break;
        case 3:
            get_image(TYPE(SAMPLED_IMAGE), r.image.view, VK_NULL_HANDLE, at);
            break;
        case 4:
            get_image(TYPE(STORAGE_IMAGE), r.stored.view, VK_NULL_HANDLE, at);
            break;
        }
        get_sampler(i % 2 ? clamping : wrapping, (uint8_t *)samplers.b.map + i * 100 * limits.samplerDescriptorSize);
    }
    get_buffer(TYPE(STORAGE_BUFFER), list_buffer.at, 256, 0, (uint8_t *)heap.b.map + out_index * stride_B);
    VkCommandBuffer cmd = vkt_begin(&device);
    bind_buffers(cmd, &heap, RESOURCES, &samplers, SAMPLERS);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    FUNCTION(vkCmdSetDescriptorBufferOffsetsEXT)
    (cmd, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 2, (const uint32_t[]){0, 1}, (const VkDeviceSize[]){0, 0});
    vkCmdPushConstants(cmd, layout, COMPUTE, 0, 4, &out_index);
    vkCmdDispatch(cmd, 1, 1, 1);
    vkt_barrier_all(cmd);
    vkt_end_submit(&device, cmd);
    for (uint32_t i = 0; i < 16; i++) {
        const uint32_t u = i % 2 ? IMAGE_PX - 1 : 1;
        const uint32_t expected[] = {40 + 101, 40, 40 + 201, (40 + u * 10) | 60u << 8 | 40u << 16 | 255u << 24,
                                     43 | 43 << 8 | 43 << 16 | 255u << 24};
        assert_int_equal(words[32 + i], expected[i % 5]);
    }
    vkDestroyPipeline(device.device, pipeline, NULL);
    vkDestroyPipelineLayout(device.device, layout, NULL);
    vkDestroySampler(device.device, wrapping, NULL);
    vkDestroySampler(device.device, clamping, NULL);
    for (uint32_t i = 0; i < 2; i++)
        vkDestroyDescriptorSetLayout(device.device, layouts[i], NULL);
    resources_destroy(&r);
    addressed_destroy(&list_buffer);
    addressed_destroy(&heap);
    addressed_destroy(&samplers);
}

/* ---------------------------------------------------------------- draws */

enum { TARGET_PX = 64, QUADS = 4 };

static const float places[QUADS][4] = {
    {-1, -1, 0.25f, 0.5f}, {-0.5f, -0.75f, 1, 0.75f}, {-0.875f, 0, 0.5f, 1}, {0, -0.25f, 0.875f, 0.875f}};
static const float tints[QUADS][4] = {{1, 1, 1, 1}, {0.5f, 1, 0, 1}, {0, 0.25f, 1, 1}, {1, 0, 0.5f, 1}};

/* What a picture of quads is drawn with. */
struct quads {
    struct vkt *t;
    struct vkt_image picture, heights;
    VkSampler sampler;
    struct vkt_target target;
    VkDescriptorSetLayout layouts[2];
    struct vkt_pipeline pipeline;
};

static const VkDescriptorSetLayoutBinding quad_bindings[] = {
    {0, TYPE(UNIFORM_BUFFER), 1, VK_SHADER_STAGE_VERTEX_BIT, NULL},
    {1, TYPE(COMBINED_IMAGE_SAMPLER), 1, VK_SHADER_STAGE_VERTEX_BIT, NULL},
    {2, TYPE(INLINE_UNIFORM_BLOCK), 16, VK_SHADER_STAGE_FRAGMENT_BIT, NULL}};
static const VkDescriptorSetLayoutBinding picture_bindings[] = {
    {0, TYPE(SAMPLED_IMAGE), 1, VK_SHADER_STAGE_FRAGMENT_BIT, NULL},
    {1, TYPE(SAMPLER), 1, VK_SHADER_STAGE_FRAGMENT_BIT, NULL}};

static struct vkt_image texture_create(struct vkt *t, uint32_t step)
{
    uint8_t texels[16 * 16 * 4];
    for (uint32_t i = 0; i < sizeof texels; i++)
        texels[i] = (uint8_t)(i % 4 == 3 ? 255 : i * step >> (i % 4));
    struct vkt_image image = vkt_image_create(
        t, &(struct vkt_image_info){.format = VK_FORMAT_R8G8B8A8_UNORM,
                                    .width = 16,
                                    .height = 16,
                                    .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT});
    vkt_image_upload(t, &image, 0, 0, texels, sizeof texels);
    return image;
}

static struct quads quads_create(struct vkt *t, VkDescriptorSetLayoutCreateFlags layout_flags,
                                 VkPipelineCreateFlags pipeline_flags)
{
    struct quads q = {.t = t, .picture = texture_create(t, 3), .heights = texture_create(t, 7)};
    q.sampler =
        vkt_sampler_create(t, VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_NEAREST, VK_SAMPLER_ADDRESS_MODE_REPEAT, 0);
    q.target = vkt_target_create(t, TARGET_PX, TARGET_PX, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_D32_SFLOAT);
    for (uint32_t i = 0; i < 2; i++)
        vkt_ok(vkCreateDescriptorSetLayout(
            t->device,
            &(VkDescriptorSetLayoutCreateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                               .flags = layout_flags,
                                               .bindingCount = i ? 2 : 3,
                                               .pBindings = i ? picture_bindings : quad_bindings},
            NULL, &q.layouts[i]));
    q.pipeline = vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(descriptor_buffer_vert),
                                                                    .fs = VKT_SHADER(descriptor_buffer_frag),
                                                                    .pass = q.target.pass,
                                                                    .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                                                    .depth_test = true,
                                                                    .depth_write = true,
                                                                    .depth_compare = VK_COMPARE_OP_LESS_OR_EQUAL,
                                                                    .width = TARGET_PX,
                                                                    .height = TARGET_PX,
                                                                    .set_layouts = {q.layouts[0], q.layouts[1]},
                                                                    .set_layout_count = 2,
                                                                    .flags = pipeline_flags});
    return q;
}

static void quads_destroy(struct quads *q)
{
    vkt_pipeline_destroy(q->t, &q->pipeline);
    for (uint32_t i = 0; i < 2; i++)
        vkDestroyDescriptorSetLayout(q->t->device, q->layouts[i], NULL);
    vkt_target_destroy(q->t, &q->target);
    vkDestroySampler(q->t->device, q->sampler, NULL);
    vkt_image_destroy(q->t, &q->picture);
    vkt_image_destroy(q->t, &q->heights);
}

/* With sets of pools. */
static void draw_with_sets(struct quads *q, struct vkt_picture *out)
{
    struct vkt *t = q->t;
    VkDescriptorPool pool;
    VkDescriptorSet sets[QUADS + 1];
    struct vkt_buffer place[QUADS];
    const VkDescriptorPoolInlineUniformBlockCreateInfo blocks = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_INLINE_UNIFORM_BLOCK_CREATE_INFO,
        .maxInlineUniformBlockBindings = QUADS};
    const VkDescriptorPoolSize sizes[] = {{TYPE(UNIFORM_BUFFER), QUADS},
                                          {TYPE(COMBINED_IMAGE_SAMPLER), QUADS},
                                          {TYPE(INLINE_UNIFORM_BLOCK), 16 * QUADS},
                                          {TYPE(SAMPLED_IMAGE), 1},
                                          {TYPE(SAMPLER), 1}};
    vkt_ok(vkCreateDescriptorPool(t->device,
                                  &(VkDescriptorPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                                                .pNext = &blocks,
                                                                .maxSets = QUADS + 1,
                                                                .poolSizeCount = VKT_COUNT(sizes),
                                                                .pPoolSizes = sizes},
                                  NULL, &pool));
    for (uint32_t i = 0; i <= QUADS; i++) {
        vkt_ok(vkAllocateDescriptorSets(
            t->device,
            &(VkDescriptorSetAllocateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                           .descriptorPool = pool,
                                           .descriptorSetCount = 1,
                                           .pSetLayouts = &q->layouts[i == QUADS]},
            &sets[i]));
        const VkWriteDescriptorSetInlineUniformBlock block = {
            .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_INLINE_UNIFORM_BLOCK,
            .dataSize = 16,
            .pData = tints[i % QUADS]};
        VkWriteDescriptorSet write = {
            .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = sets[i], .descriptorCount = 1};
        VkDescriptorImageInfo image = {q->sampler, q->picture.view, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
        write.pImageInfo = &image;
        if (i == QUADS) {
            write.descriptorType = TYPE(SAMPLED_IMAGE);
            vkUpdateDescriptorSets(t->device, 1, &write, 0, NULL);
            write.dstBinding = 1;
            write.descriptorType = TYPE(SAMPLER);
            vkUpdateDescriptorSets(t->device, 1, &write, 0, NULL);
            continue;
        }
        place[i] = vkt_buffer_create(t, 16, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, places[i]);
        vkt_set_buffer(t, sets[i], 0, TYPE(UNIFORM_BUFFER), place[i].buffer, 0, 16);
        image.imageView = q->heights.view;
        write.dstBinding = 1;
        write.descriptorType = TYPE(COMBINED_IMAGE_SAMPLER);
        vkUpdateDescriptorSets(t->device, 1, &write, 0, NULL);
        write.pNext = &block;
        write.dstBinding = 2;
        write.descriptorType = TYPE(INLINE_UNIFORM_BLOCK);
        write.descriptorCount = 16;
        vkUpdateDescriptorSets(t->device, 1, &write, 0, NULL);
    }
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &q->target, (const float[]){0, 0, 0.5f, 1}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, q->pipeline.pipeline);
    for (uint32_t i = 0; i < QUADS; i++) {
        const VkDescriptorSet both[] = {sets[i], sets[QUADS]};
        vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, q->pipeline.layout, 0, 2, both, 0, NULL);
        vkCmdDraw(cmd, 4, 1, 0, 0);
    }
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    *out = vkt_read_target(t, &q->target);
    for (uint32_t i = 0; i < QUADS; i++)
        vkt_buffer_destroy(t, &place[i]);
    vkDestroyDescriptorPool(t->device, pool, NULL);
}

static void record_quads(VkCommandBuffer cmd, const struct quads *q, const struct addressed *heap,
                         const struct addressed *second, VkDeviceSize step_B)
{
    bind_buffers(cmd, heap, RESOURCES | SAMPLERS, second, RESOURCES | SAMPLERS);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, q->pipeline.pipeline);
    set_offset(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, q->pipeline.layout, 1, 1, 0);
    for (uint32_t i = 0; i < QUADS; i++) {
        set_offset(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, q->pipeline.layout, 0, 0, i * step_B);
        vkCmdDraw(cmd, 4, 1, 0, 0);
    }
}

/* With sets in descriptor buffers, of which the quads' begin at different offsets. `in_secondary`: the draws are in a
 * secondary command buffer that does not know the framebuffer. */
static void draw_with_buffers(struct quads *q, bool in_secondary, struct vkt_picture *out)
{
    const VkDeviceSize step_B = size_of_layout(q->layouts[0]) + 64;
    struct addressed heap = addressed_create(QUADS * step_B, RESOURCES | SAMPLERS),
                     second = addressed_create(size_of_layout(q->layouts[1]), RESOURCES | SAMPLERS),
                     place = addressed_create(QUADS * 256, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT);
    for (uint32_t i = 0; i < QUADS; i++) {
        uint8_t *at = (uint8_t *)heap.b.map + i * step_B;
        memcpy((uint8_t *)place.b.map + 256 * i, places[i], 16);
        get_buffer(TYPE(UNIFORM_BUFFER), place.at + 256 * i, 16, 0, at + offset_of(q->layouts[0], 0));
        get_image(TYPE(COMBINED_IMAGE_SAMPLER), q->heights.view, q->sampler, at + offset_of(q->layouts[0], 1));
        memcpy(at + offset_of(q->layouts[0], 2), tints[i], 16);
    }
    get_image(TYPE(SAMPLED_IMAGE), q->picture.view, VK_NULL_HANDLE,
              (uint8_t *)second.b.map + offset_of(q->layouts[1], 0));
    get_sampler(q->sampler, (uint8_t *)second.b.map + offset_of(q->layouts[1], 1));
    VkCommandBuffer cmd = vkt_begin(q->t), inner = VK_NULL_HANDLE;
    if (in_secondary) {
        inner = vkt_begin_secondary(q->t, q->target.pass, 0);
        record_quads(inner, q, &heap, &second, step_B);
        vkt_ok(vkEndCommandBuffer(inner));
        vkCmdBeginRenderPass(
            cmd,
            &(VkRenderPassBeginInfo){
                .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                .renderPass = q->target.pass,
                .framebuffer = q->target.framebuffer,
                .renderArea = {{0, 0}, {TARGET_PX, TARGET_PX}},
                .clearValueCount = 2,
                .pClearValues = (VkClearValue[]){{.color = {.float32 = {0, 0, 0.5f, 1}}}, {.depthStencil = {1, 0}}}},
            VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS);
        vkCmdExecuteCommands(cmd, 1, &inner);
    } else {
        vkt_begin_pass(cmd, &q->target, (const float[]){0, 0, 0.5f, 1}, 1, 0);
        record_quads(cmd, q, &heap, &second, step_B);
    }
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(q->t, cmd);
    if (inner)
        vkFreeCommandBuffers(q->t->device, q->t->pool, 1, &inner);
    *out = vkt_read_target(q->t, &q->target);
    addressed_destroy(&heap);
    addressed_destroy(&second);
    addressed_destroy(&place);
}

static bool draws_in_secondary;

static void draw_quads(struct vkt *t, struct vkt_picture *out)
{
    const bool is_tested = t == vkt_device(VKT_TESTED);
    struct quads q = quads_create(is_tested ? &device : t, is_tested ? BUFFER_LAYOUT : 0,
                                  is_tested ? VK_PIPELINE_CREATE_DESCRIPTOR_BUFFER_BIT_EXT : 0);
    if (is_tested)
        draw_with_buffers(&q, draws_in_secondary, out);
    else
        draw_with_sets(&q, out);
    quads_destroy(&q);
}

static void test_draws(void **state)
{
    draws_in_secondary = false;
    vkt_compare_with_reference("descriptor_buffer", draw_quads, (struct vkt_tolerance){2, 4});
}

static void test_secondary(void **state)
{
    draws_in_secondary = true;
    vkt_compare_with_reference("descriptor_buffer_secondary", draw_quads, (struct vkt_tolerance){2, 4});
}

/* ---------------------------------------------------------------- bytes that are no descriptors */

/* The descriptors of input attachments are read when the job is issued. The layout is one thing that the application
 * describes, the bytes are another: whatever they are, the draw only gives wrong colours. Descriptors of views that are
 * gone are such bytes, too. */
static void test_wrong_bytes(void **state)
{
    const VkDescriptorSetLayoutBinding bindings[] = {
        {0, TYPE(INPUT_ATTACHMENT), 1, VK_SHADER_STAGE_FRAGMENT_BIT, NULL},
        {1, TYPE(INPUT_ATTACHMENT), 1, VK_SHADER_STAGE_FRAGMENT_BIT, NULL}};
    VkDescriptorSetLayout layout = layout_create(BUFFER_LAYOUT, bindings, 2, NULL);
    struct vkt_image color =
        vkt_image_create(&device, &(struct vkt_image_info){.format = VK_FORMAT_R8G8B8A8_UNORM,
                                                           .width = 16,
                                                           .height = 16,
                                                           .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT |
                                                                    VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT});
    struct vkt_image target =
        vkt_image_create(&device, &(struct vkt_image_info){.format = VK_FORMAT_R8G8B8A8_UNORM,
                                                           .width = 16,
                                                           .height = 16,
                                                           .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT |
                                                                    VK_IMAGE_USAGE_TRANSFER_SRC_BIT});
    const VkAttachmentReference inputs[] = {{0, VK_IMAGE_LAYOUT_GENERAL}, {0, VK_IMAGE_LAYOUT_GENERAL}},
                                first = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL},
                                output = {1, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    const VkAttachmentDescription attachments[] = {{.format = VK_FORMAT_R8G8B8A8_UNORM,
                                                    .samples = VK_SAMPLE_COUNT_1_BIT,
                                                    .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                                    .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                                    .finalLayout = VK_IMAGE_LAYOUT_GENERAL},
                                                   {.format = VK_FORMAT_R8G8B8A8_UNORM,
                                                    .samples = VK_SAMPLE_COUNT_1_BIT,
                                                    .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                                    .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                                    .finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL}};
    const VkSubpassDescription subpasses[] = {{.colorAttachmentCount = 1, .pColorAttachments = &first},
                                              {.inputAttachmentCount = 2,
                                               .pInputAttachments = inputs,
                                               .colorAttachmentCount = 1,
                                               .pColorAttachments = &output}};
    const VkSubpassDependency dependency = {.srcSubpass = 0,
                                            .dstSubpass = 1,
                                            .srcStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                                            .dstStageMask = VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT |
                                                            VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                                            .srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
                                            .dstAccessMask = VK_ACCESS_INPUT_ATTACHMENT_READ_BIT |
                                                             VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT};
    VkRenderPass pass;
    VkFramebuffer framebuffer;
    vkt_ok(vkCreateRenderPass(device.device,
                              &(VkRenderPassCreateInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                                        .attachmentCount = 2,
                                                        .pAttachments = attachments,
                                                        .subpassCount = 2,
                                                        .pSubpasses = subpasses,
                                                        .dependencyCount = 1,
                                                        .pDependencies = &dependency},
                              NULL, &pass));
    vkt_ok(vkCreateFramebuffer(device.device,
                               &(VkFramebufferCreateInfo){.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                                          .renderPass = pass,
                                                          .attachmentCount = 2,
                                                          .pAttachments = (VkImageView[]){color.view, target.view},
                                                          .width = 16,
                                                          .height = 16,
                                                          .layers = 1},
                               NULL, &framebuffer));
    struct vkt_pipeline pipeline = vkt_pipeline_create(
        &device, &(struct vkt_pipeline_info){.vs = VKT_SHADER(cover_vert),
                                             .fs = VKT_SHADER(subpass_frag),
                                             .pass = pass,
                                             .subpass = 1,
                                             .topology = VKT_TRIANGLES,
                                             .width = 16,
                                             .height = 16,
                                             .set_layouts = {layout},
                                             .set_layout_count = 1,
                                             .flags = VK_PIPELINE_CREATE_DESCRIPTOR_BUFFER_BIT_EXT});
    struct addressed heap = addressed_create(size_of_layout(layout), RESOURCES);
    VkCommandBuffer cmd = vkt_begin(&device);
    vkCmdBeginRenderPass(
        cmd,
        &(VkRenderPassBeginInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                 .renderPass = pass,
                                 .framebuffer = framebuffer,
                                 .renderArea = {{0, 0}, {16, 16}},
                                 .clearValueCount = 2,
                                 .pClearValues = (VkClearValue[]){{.color = {.float32 = {0.2f, 0.4f, 0.6f, 1}}},
                                                                  {.color = {.float32 = {1, 1, 1, 1}}}}},
        VK_SUBPASS_CONTENTS_INLINE);
    vkCmdNextSubpass(cmd, VK_SUBPASS_CONTENTS_INLINE);
    bind_buffers(cmd, &heap, RESOURCES, NULL, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.pipeline);
    set_offset(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.layout, 0, 0, 0);
    vkCmdDraw(cmd, 3, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_ok(vkEndCommandBuffer(cmd));
    uint8_t got[16 * 16 * 4], *bytes = heap.b.map;
    uint32_t random = 1;
    for (uint32_t n = 0; n < 400; n++) {
        for (uint32_t i = 0; i < 2; i++)
            get_image(TYPE(INPUT_ATTACHMENT), color.view, VK_NULL_HANDLE, bytes + offset_of(layout, i));
        for (uint32_t i = 0; i < n % 8; i++) { /* none; single bytes; and all of them */
            random = random * 1664525 + 1013904223;
            bytes[(random >> 8) % heap.b.size_B] = (uint8_t)(random >> 24);
        }
        for (uint32_t i = 0; n % 8 == 7 && i < heap.b.size_B; i++)
            bytes[i] = (uint8_t)((random = random * 1664525 + 1013904223) >> 24);
        vkt_submit(&device, cmd);
        if (n % 8)
            continue;
        vkt_read_image(&device, &target, 0, 0, got, sizeof got);
        assert_int_equal(got[0], 102);
        assert_int_equal(got[1], 51);
        assert_int_equal(got[2], 51);
    }
    vkFreeCommandBuffers(device.device, device.pool, 1, &cmd);
    addressed_destroy(&heap);
    vkt_pipeline_destroy(&device, &pipeline);
    vkDestroyFramebuffer(device.device, framebuffer, NULL);
    vkDestroyRenderPass(device.device, pass, NULL);
    vkt_image_destroy(&device, &color);
    vkt_image_destroy(&device, &target);
    vkDestroyDescriptorSetLayout(device.device, layout, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_properties, vkt_check_messages),
        cmocka_unit_test_teardown(test_layouts, vkt_check_messages),
        cmocka_unit_test_teardown(test_all_types, vkt_check_messages),
        cmocka_unit_test_teardown(test_nulls, vkt_check_messages),
        cmocka_unit_test_teardown(test_other_formats, vkt_check_messages),
        cmocka_unit_test_teardown(test_written_by_device, vkt_check_messages),
        cmocka_unit_test_teardown(test_heap, vkt_check_messages),
        cmocka_unit_test_teardown(test_draws, vkt_check_messages),
        cmocka_unit_test_teardown(test_secondary, vkt_check_messages),
        cmocka_unit_test_teardown(test_wrong_bytes, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("descriptor_buffer", tests, open_device, close_device);
}
