/* SPDX-License-Identifier: MIT
 *
 * Runs programs on the loader's first device and sends back their outputs. fuzz.py starts one such server for each
 * device and setting, and compares. A request is one dispatch or one draw with everything that it needs. All objects
 * are created anew for each request, in one piece of host-visible memory that is kept.
 *
 * Reply: 0 and a count and bytes for each storage buffer, storage image and color target, in the order of the request;
 * or 1 and the name of the call that failed, with its result. After the loss of the device the process ends.
 */
#include <vulkan/vulkan.h>
#include "glsl_wire.h"

enum {
    MAX_RESOURCES = 40,
    MAX_STAGES = 2,
    MAX_SPECS = 16,
    MAX_TARGETS = 4,
    MAX_ATTRIBUTES = 16,
    MAX_LEVELS = 8,
    MAX_ADDRESSES = 8,
    MAX_EXTENSIONS = 8
};

enum { RESOURCE_NULL = 1, RESOURCE_ADDRESSED = 2, RESOURCE_HAS_ADDRESSES = 4 }; /* flags of a descriptor */

struct resource { /* one descriptor or color target */
    VkDescriptorType type;
    uint32_t binding, element, flags;
    VkBuffer buffer; /* the buffer, or the staging copy of an image */
    uint32_t offset_B, size_B;
    VkImage image;
    VkImageView view;
    VkSampler sampler;
    VkFormat format;
    VkExtent3D extent;
    uint32_t layers, levels, level_offset_B[MAX_LEVELS];
    bool is_image, is_output;
    uint32_t address_count; /* words of the contents that are replaced by the address of a resource */
    struct {
        uint32_t offset_B, of;
    } addresses[MAX_ADDRESSES];
};

struct run {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    VkCommandPool pool;
    VkDeviceMemory memory;
    unsigned char *mapped;
    uint32_t memory_type, used_B;
    bool is_in_memory; /* all bindings are partially bound, so the driver keeps their descriptors in memory of sets */
    bool is_mutable;   /* all descriptors are mutable */
    bool is_robust;    /* robustness2 and null descriptors are enabled */

    /* The current request. */
    struct resource resources[MAX_RESOURCES];
    uint32_t resource_count;
    VkShaderModule modules[MAX_STAGES];
    VkPipelineShaderStageCreateInfo stages[MAX_STAGES];
    uint32_t stage_count;
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkDescriptorPool descriptor_pool;
    VkDescriptorSet set;
    VkPipeline pipeline;
    VkRenderPass pass;
    VkFramebuffer framebuffer;
    VkCommandBuffer cmd;
    VkFence fence;
    const char *failed; /* the call that failed; its result is below */
    VkResult result;
};

static const uint32_t memory_size_B = 32 << 20;

/* On failure records the call's text and result. */
#define TRY(r, call) try((r), (call), #call)

static bool try(struct run *r, VkResult result, const char *call)
{
    if (result == VK_SUCCESS)
        return true;
    r->failed = call;
    r->result = result;
    return false;
}

static bool refuse(struct run *r, const char *why)
{
    r->failed = why;
    r->result = VK_ERROR_UNKNOWN;
    return false;
}

/* What a device can enable: all features that it has, except robustness where the request does not need it. */
struct features {
    VkPhysicalDeviceFeatures2 core;
    VkPhysicalDeviceVulkan11Features v11;
    VkPhysicalDeviceVulkan12Features v12;
    VkPhysicalDeviceVulkan13Features v13;
    VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomic_float;
    VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT atomic_float2;
    VkPhysicalDeviceShaderImageAtomicInt64FeaturesEXT image_int64;
    VkPhysicalDeviceRobustness2FeaturesEXT robustness2;
    VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR explicit_layout;
    VkPhysicalDeviceMutableDescriptorTypeFeaturesEXT mutable_types;
    const char *extensions[MAX_EXTENSIONS];
    uint32_t extension_count;
};

static void chain_extension(struct features *f, const VkExtensionProperties *has, uint32_t count, const char *name,
                            void *features)
{
    VkBaseOutStructure *s = features;
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(has[i].extensionName, name) != 0)
            continue;
        s->pNext = (VkBaseOutStructure *)f->core.pNext;
        f->core.pNext = s;
        f->extensions[f->extension_count++] = name;
    }
}

static bool find_features(struct run *r, struct features *f)
{
    VkExtensionProperties *has;
    uint32_t count = 0;
    *f = (struct features){
        .core = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &f->v11},
        .v11 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, .pNext = &f->v12},
        .v12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, .pNext = &f->v13},
        .v13 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES},
        .atomic_float = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT},
        .atomic_float2 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_2_FEATURES_EXT},
        .image_int64 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_IMAGE_ATOMIC_INT64_FEATURES_EXT},
        .robustness2 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT},
        .explicit_layout = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_FEATURES_KHR},
        .mutable_types = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MUTABLE_DESCRIPTOR_TYPE_FEATURES_EXT},
    };
    if (!TRY(r, vkEnumerateDeviceExtensionProperties(r->physical, NULL, &count, NULL)))
        return false;
    has = calloc(count + 1, sizeof *has);
    if (!has || !TRY(r, vkEnumerateDeviceExtensionProperties(r->physical, NULL, &count, has)))
        return free(has), refuse(r, "no list of extensions");
    chain_extension(f, has, count, VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME, &f->atomic_float);
    chain_extension(f, has, count, VK_EXT_SHADER_ATOMIC_FLOAT_2_EXTENSION_NAME, &f->atomic_float2);
    chain_extension(f, has, count, VK_EXT_SHADER_IMAGE_ATOMIC_INT64_EXTENSION_NAME, &f->image_int64);
    if (r->is_robust)
        chain_extension(f, has, count, VK_EXT_ROBUSTNESS_2_EXTENSION_NAME, &f->robustness2);
    chain_extension(f, has, count, VK_KHR_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_EXTENSION_NAME, &f->explicit_layout);
    if (r->is_mutable)
        chain_extension(f, has, count, VK_EXT_MUTABLE_DESCRIPTOR_TYPE_EXTENSION_NAME, &f->mutable_types);
    free(has);
    vkGetPhysicalDeviceFeatures2(r->physical, &f->core);
    if (!r->is_robust)
        f->core.features.robustBufferAccess = f->v13.robustImageAccess = VK_FALSE;
    return true;
}

static bool open_device(struct run *r)
{
    const VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3};
    uint32_t count = 1;
    if (!TRY(r, vkCreateInstance(&(VkInstanceCreateInfo){.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                                         .pApplicationInfo = &app},
                                 NULL, &r->instance)))
        return false;
    VkResult res = vkEnumeratePhysicalDevices(r->instance, &count, &r->physical);
    if ((res != VK_SUCCESS && res != VK_INCOMPLETE) || !count)
        return refuse(r, "no device");
    struct features f;
    if (!find_features(r, &f))
        return false;
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    if (!TRY(r, vkCreateDevice(r->physical,
                               &(VkDeviceCreateInfo){.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                                     .pNext = &f.core,
                                                     .queueCreateInfoCount = 1,
                                                     .pQueueCreateInfos = &queue,
                                                     .enabledExtensionCount = f.extension_count,
                                                     .ppEnabledExtensionNames = f.extensions},
                               NULL, &r->device)))
        return false;
    vkGetDeviceQueue(r->device, 0, 0, &r->queue);

    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(r->physical, &memory);
    const VkMemoryAllocateFlagsInfo addressable = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                                   .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
    const VkMemoryPropertyFlags flags = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    while ((memory.memoryTypes[r->memory_type].propertyFlags & flags) != flags)
        if (++r->memory_type == memory.memoryTypeCount)
            return refuse(r, "no host-visible and coherent memory");
    return TRY(r, vkAllocateMemory(r->device,
                                   &(VkMemoryAllocateInfo){.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                                           .pNext = &addressable,
                                                           .allocationSize = memory_size_B,
                                                           .memoryTypeIndex = r->memory_type},
                                   NULL, &r->memory)) &&
           TRY(r, vkMapMemory(r->device, r->memory, 0, VK_WHOLE_SIZE, 0, (void **)&r->mapped)) &&
           TRY(r, vkCreateCommandPool(r->device,
                                      &(VkCommandPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO},
                                      NULL, &r->pool));
}

/* Suballocates from the server's memory. */
static bool suballocate(struct run *r, const VkMemoryRequirements *needs, uint32_t *offset_B_out)
{
    const uint64_t at = (r->used_B + needs->alignment - 1) / needs->alignment * needs->alignment;
    if (!(needs->memoryTypeBits >> r->memory_type & 1) || at + needs->size > memory_size_B)
        return refuse(r, "server: out of memory");
    *offset_B_out = (uint32_t)at;
    r->used_B = (uint32_t)(at + needs->size);
    return true;
}

static bool make_buffer(struct run *r, struct resource *t, VkBufferUsageFlags usage, uint32_t size_B)
{
    VkMemoryRequirements needs;
    t->size_B = size_B;
    if (!TRY(r, vkCreateBuffer(r->device,
                               &(VkBufferCreateInfo){.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                                     .size = size_B,
                                                     .usage = usage},
                               NULL, &t->buffer)))
        return false;
    vkGetBufferMemoryRequirements(r->device, t->buffer, &needs);
    return suballocate(r, &needs, &t->offset_B) &&
           TRY(r, vkBindBufferMemory(r->device, t->buffer, r->memory, t->offset_B));
}

/* Lays the levels out one after the other, each at a multiple of 16; returns their size in bytes. */
static uint32_t lay_out_levels(struct resource *t, uint32_t texel_B)
{
    uint32_t at = 0;
    for (uint32_t l = 0; l < t->levels; l++) {
        const uint32_t w = t->extent.width >> l, h = t->extent.height >> l, d = t->extent.depth >> l;
        t->level_offset_B[l] = at;
        at += ((w ? w : 1) * (h ? h : 1) * (d ? d : 1) * t->layers * texel_B + 15) / 16 * 16;
    }
    return at;
}

static bool make_image(struct run *r, struct resource *t, VkImageViewType view, uint32_t texel_B,
                       VkImageUsageFlags usage)
{
    const bool is_cube = view == VK_IMAGE_VIEW_TYPE_CUBE || view == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY;
    const VkImageType type = view == VK_IMAGE_VIEW_TYPE_3D ? VK_IMAGE_TYPE_3D
                             : view == VK_IMAGE_VIEW_TYPE_1D || view == VK_IMAGE_VIEW_TYPE_1D_ARRAY
                                 ? VK_IMAGE_TYPE_1D
                                 : VK_IMAGE_TYPE_2D;
    VkMemoryRequirements needs;
    uint32_t offset_B;
    t->is_image = true;
    if (!TRY(r, vkCreateImage(r->device,
                              &(VkImageCreateInfo){
                                  .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                  .flags = is_cube ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0,
                                  .imageType = type,
                                  .format = t->format,
                                  .extent = t->extent,
                                  .mipLevels = t->levels,
                                  .arrayLayers = t->layers,
                                  .samples = VK_SAMPLE_COUNT_1_BIT,
                                  .tiling = VK_IMAGE_TILING_OPTIMAL,
                                  .usage = usage | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
                              },
                              NULL, &t->image)))
        return false;
    vkGetImageMemoryRequirements(r->device, t->image, &needs);
    if (!suballocate(r, &needs, &offset_B) || !TRY(r, vkBindImageMemory(r->device, t->image, r->memory, offset_B)) ||
        !TRY(r, vkCreateImageView(r->device,
                                  &(VkImageViewCreateInfo){
                                      .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                      .image = t->image,
                                      .viewType = view,
                                      .format = t->format,
                                      .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, t->levels, 0, t->layers},
                                  },
                                  NULL, &t->view)))
        return false;
    return make_buffer(r, t, VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                       lay_out_levels(t, texel_B));
}

static bool make_sampler(struct run *r, struct resource *t, const uint32_t words[5])
{
    return TRY(r, vkCreateSampler(r->device,
                                  &(VkSamplerCreateInfo){
                                      .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                                      .magFilter = (VkFilter)words[0],
                                      .minFilter = (VkFilter)words[1],
                                      .mipmapMode = (VkSamplerMipmapMode)words[2],
                                      .addressModeU = (VkSamplerAddressMode)words[3],
                                      .addressModeV = (VkSamplerAddressMode)words[4],
                                      .addressModeW = (VkSamplerAddressMode)words[4],
                                      .maxLod = VK_LOD_CLAMP_NONE,
                                      .borderColor = VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK,
                                  },
                                  NULL, &t->sampler));
}

/* The image or buffer of a descriptor; for an image reads what describes it. */
static bool make_descriptor(struct run *r, struct wire *q, struct resource *t, uint32_t size_B)
{
    if (t->type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER || t->type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE) {
        uint32_t sampler[5];
        t->format = (VkFormat)wire_u32(q);
        const uint32_t texel_B = wire_u32(q);
        const VkImageViewType view = (VkImageViewType)wire_u32(q);
        t->extent.width = wire_u32(q);
        t->extent.height = wire_u32(q);
        t->extent.depth = wire_u32(q);
        t->layers = wire_u32(q);
        t->levels = wire_u32(q);
        if (t->levels > MAX_LEVELS)
            return refuse(r, "server: more than 8 mip levels");
        for (uint32_t i = 0; i < 5; i++)
            sampler[i] = wire_u32(q);
        t->is_output = t->type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
        return make_image(r, t, view, texel_B,
                          t->is_output ? VK_IMAGE_USAGE_STORAGE_BIT : VK_IMAGE_USAGE_SAMPLED_BIT) &&
               (t->is_output || make_sampler(r, t, sampler));
    }
    t->is_output = t->type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    return make_buffer(r, t,
                       (t->is_output ? VK_BUFFER_USAGE_STORAGE_BUFFER_BIT : VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT) |
                           (t->flags & RESOURCE_ADDRESSED ? VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT : 0),
                       size_B);
}

/* Reads a descriptor: binding, element, type, flags, size; for images format, bytes per texel, view type, extent,
 * layers, levels and five words for the sampler; the contents; where addresses of other resources stand in them. */
static bool read_descriptor(struct run *r, struct wire *q)
{
    struct resource *t = &r->resources[r->resource_count++];
    t->binding = wire_u32(q);
    t->element = wire_u32(q);
    t->type = (VkDescriptorType)wire_u32(q);
    t->flags = wire_u32(q);
    const uint32_t size_B = wire_u32(q);
    if (t->flags & RESOURCE_NULL) /* of a texture, the view only */
        return t->type != VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER || make_sampler(r, t, (const uint32_t[5]){0});
    if (!make_descriptor(r, q, t, size_B))
        return false;
    if (t->size_B != size_B)
        return refuse(r, "server: the size of the contents does not match the image");
    memcpy(r->mapped + t->offset_B, wire_take(q, size_B), size_B);
    if (!(t->flags & RESOURCE_HAS_ADDRESSES))
        return true;
    t->address_count = wire_u32(q);
    if (t->address_count > MAX_ADDRESSES)
        return refuse(r, "server: more than 8 addresses");
    for (uint32_t i = 0; i < t->address_count; i++) {
        t->addresses[i].offset_B = wire_u32(q);
        t->addresses[i].of = wire_u32(q);
        if (t->addresses[i].offset_B + 8 > size_B)
            return refuse(r, "server: an address outside of the contents");
    }
    return true;
}

static bool write_addresses(struct run *r)
{
    for (uint32_t i = 0; i < r->resource_count; i++) {
        const struct resource *t = &r->resources[i];
        for (uint32_t k = 0; k < t->address_count; k++) {
            const struct resource *of = &r->resources[t->addresses[k].of % r->resource_count];
            if (!of->buffer || !(of->flags & RESOURCE_ADDRESSED))
                return refuse(r, "server: the address of what has none");
            const uint64_t address = vkGetBufferDeviceAddress(
                r->device, &(VkBufferDeviceAddressInfo){.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                                        .buffer = of->buffer});
            memcpy(r->mapped + t->offset_B + t->addresses[k].offset_B, &address, sizeof address);
        }
    }
    return true;
}

/* The number of descriptors at the resource's binding; 0: counted with another resource. For inline uniform blocks the
 * number of bytes. */
static uint32_t descriptor_count(const struct run *r, const struct resource *t)
{
    uint32_t count = 0;
    if (t->type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK)
        return t->size_B;
    for (uint32_t i = 0; i < r->resource_count && !t->element; i++)
        count += r->resources[i].binding == t->binding;
    return count;
}

static bool make_set_layout(struct run *r, VkShaderStageFlags stages, VkDescriptorPoolSize sizes[MAX_RESOURCES],
                            uint32_t *binding_count_out)
{
    static const VkDescriptorType types[] = {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                             VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
                                             VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};
    VkDescriptorSetLayoutBinding bindings[MAX_RESOURCES];
    VkDescriptorBindingFlags flags[MAX_RESOURCES];
    VkMutableDescriptorTypeListEXT lists[MAX_RESOURCES];
    uint32_t count = 0;
    for (uint32_t i = 0; i < r->resource_count; i++) {
        const struct resource *t = &r->resources[i];
        const uint32_t n = descriptor_count(r, t);
        if (!n)
            continue;
        const bool is_inline = t->type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK;
        const VkDescriptorType type = r->is_mutable && !is_inline ? VK_DESCRIPTOR_TYPE_MUTABLE_EXT : t->type;
        flags[count] = is_inline ? 0 : VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT;
        lists[count] = (VkMutableDescriptorTypeListEXT){is_inline ? 0 : 4, types};
        bindings[count] = (VkDescriptorSetLayoutBinding){t->binding, type, n, stages, NULL};
        sizes[count++] = (VkDescriptorPoolSize){type, n};
    }
    const VkMutableDescriptorTypeCreateInfoEXT mutable_types = {
        .sType = VK_STRUCTURE_TYPE_MUTABLE_DESCRIPTOR_TYPE_CREATE_INFO_EXT,
        .mutableDescriptorTypeListCount = count,
        .pMutableDescriptorTypeLists = lists};
    const VkDescriptorSetLayoutBindingFlagsCreateInfo partially_bound = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO,
        .bindingCount = count,
        .pBindingFlags = flags};
    *binding_count_out = count;
    return TRY(r, vkCreateDescriptorSetLayout(
                      r->device,
                      &(VkDescriptorSetLayoutCreateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                                         .pNext = r->is_mutable     ? (const void *)&mutable_types
                                                                  : r->is_in_memory ? (const void *)&partially_bound
                                                                                    : NULL,
                                                         .bindingCount = count,
                                                         .pBindings = bindings},
                      NULL, &r->set_layout));
}

static void write_descriptors(struct run *r)
{
    for (uint32_t i = 0; i < r->resource_count; i++) {
        const struct resource *t = &r->resources[i];
        const bool is_inline = t->type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK;
        const VkDescriptorImageInfo image = {t->sampler, t->view, VK_IMAGE_LAYOUT_GENERAL};
        const VkDescriptorBufferInfo buffer = {t->buffer, 0, VK_WHOLE_SIZE};
        const VkWriteDescriptorSetInlineUniformBlock block = {
            .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_INLINE_UNIFORM_BLOCK,
            .dataSize = t->size_B,
            .pData = r->mapped + t->offset_B};
        vkUpdateDescriptorSets(r->device, 1,
                               &(VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                                       .pNext = is_inline ? &block : NULL,
                                                       .dstSet = r->set,
                                                       .dstBinding = t->binding,
                                                       .dstArrayElement = t->element,
                                                       .descriptorCount = is_inline ? t->size_B : 1,
                                                       .descriptorType = t->type,
                                                       .pImageInfo = &image,
                                                       .pBufferInfo = &buffer},
                               0, NULL);
    }
}

static bool make_set(struct run *r, VkShaderStageFlags stages, uint32_t push_B)
{
    VkDescriptorPoolSize sizes[MAX_RESOURCES];
    uint32_t binding_count;
    if (!write_addresses(r) || !make_set_layout(r, stages, sizes, &binding_count) ||
        !TRY(r, vkCreatePipelineLayout(
                    r->device,
                    &(VkPipelineLayoutCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                                  .setLayoutCount = 1,
                                                  .pSetLayouts = &r->set_layout,
                                                  .pushConstantRangeCount = push_B != 0,
                                                  .pPushConstantRanges = &(VkPushConstantRange){stages, 0, push_B}},
                    NULL, &r->layout)))
        return false;
    if (!r->resource_count)
        return true;
    const VkDescriptorPoolInlineUniformBlockCreateInfo inline_blocks = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_INLINE_UNIFORM_BLOCK_CREATE_INFO,
        .maxInlineUniformBlockBindings = binding_count};
    if (!TRY(r, vkCreateDescriptorPool(
                    r->device,
                    &(VkDescriptorPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                                  .pNext = &inline_blocks,
                                                  .maxSets = 1,
                                                  .poolSizeCount = binding_count,
                                                  .pPoolSizes = sizes},
                    NULL, &r->descriptor_pool)) ||
        !TRY(r, vkAllocateDescriptorSets(
                    r->device,
                    &(VkDescriptorSetAllocateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                                   .descriptorPool = r->descriptor_pool,
                                                   .descriptorSetCount = 1,
                                                   .pSetLayouts = &r->set_layout},
                    &r->set)))
        return false;
    write_descriptors(r);
    return true;
}

static bool read_stage(struct run *r, struct wire *q, const VkSpecializationInfo *spec)
{
    const VkShaderStageFlagBits stage = (VkShaderStageFlagBits)wire_u32(q);
    const uint32_t size_B = wire_u32(q);
    const uint32_t *words = wire_take(q, size_B);
    if (!TRY(r, vkCreateShaderModule(r->device,
                                     &(VkShaderModuleCreateInfo){.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                                                 .codeSize = size_B,
                                                                 .pCode = words},
                                     NULL, &r->modules[r->stage_count])))
        return false;
    r->stages[r->stage_count] = (VkPipelineShaderStageCreateInfo){
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
        .stage = stage,
        .module = r->modules[r->stage_count],
        .pName = "main",
        .pSpecializationInfo = spec,
    };
    r->stage_count++;
    return true;
}

static void barrier(struct run *r, const struct resource *t, VkImageLayout from, VkImageLayout to)
{
    vkCmdPipelineBarrier(r->cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1,
                         &(VkMemoryBarrier){
                             .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                             .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                             .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
                         },
                         0, NULL, t != NULL,
                         t ? &(VkImageMemoryBarrier){
                                 .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                 .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                 .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
                                 .oldLayout = from,
                                 .newLayout = to,
                                 .image = t->image,
                                 .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, t->levels, 0, t->layers},
                             }
                           : NULL);
}

static uint32_t copies_of(const struct resource *t, VkBufferImageCopy copies[MAX_LEVELS])
{
    for (uint32_t l = 0; l < t->levels; l++) {
        const uint32_t w = t->extent.width >> l, h = t->extent.height >> l, d = t->extent.depth >> l;
        copies[l] = (VkBufferImageCopy){.bufferOffset = t->level_offset_B[l],
                                        .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, l, 0, t->layers},
                                        .imageExtent = {w ? w : 1, h ? h : 1, d ? d : 1}};
    }
    return t->levels;
}

static bool begin(struct run *r)
{
    VkBufferImageCopy copies[MAX_LEVELS];
    if (!TRY(r, vkAllocateCommandBuffers(
                    r->device,
                    &(VkCommandBufferAllocateInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                   .commandPool = r->pool,
                                                   .commandBufferCount = 1},
                    &r->cmd)) ||
        !TRY(r, vkBeginCommandBuffer(
                    r->cmd, &(VkCommandBufferBeginInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                                        .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT})))
        return false;
    for (uint32_t i = 0; i < r->resource_count; i++) {
        struct resource *t = &r->resources[i];
        if (!t->is_image)
            continue;
        barrier(r, t, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
        vkCmdCopyBufferToImage(r->cmd, t->buffer, t->image, VK_IMAGE_LAYOUT_GENERAL, copies_of(t, copies), copies);
        barrier(r, t, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL);
    }
    return true;
}

static void bind(struct run *r, VkPipelineBindPoint point, VkShaderStageFlags stages, const void *push, uint32_t push_B)
{
    vkCmdBindPipeline(r->cmd, point, r->pipeline);
    if (r->resource_count)
        vkCmdBindDescriptorSets(r->cmd, point, r->layout, 0, 1, &r->set, 0, NULL);
    if (push_B)
        vkCmdPushConstants(r->cmd, r->layout, stages, 0, push_B, push);
}

static bool end(struct run *r)
{
    VkBufferImageCopy copies[MAX_LEVELS];
    barrier(r, NULL, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL);
    for (uint32_t i = 0; i < r->resource_count; i++) {
        struct resource *t = &r->resources[i];
        if (t->is_image && t->is_output)
            vkCmdCopyImageToBuffer(r->cmd, t->image, VK_IMAGE_LAYOUT_GENERAL, t->buffer, copies_of(t, copies), copies);
    }
    vkCmdPipelineBarrier(r->cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
                         &(VkMemoryBarrier){.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                            .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                            .dstAccessMask = VK_ACCESS_HOST_READ_BIT},
                         0, NULL, 0, NULL);
    return TRY(r, vkEndCommandBuffer(r->cmd)) &&
           TRY(r, vkCreateFence(r->device, &(VkFenceCreateInfo){.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO}, NULL,
                                &r->fence)) &&
           TRY(r, vkQueueSubmit(r->queue, 1,
                                &(VkSubmitInfo){.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                                .commandBufferCount = 1,
                                                .pCommandBuffers = &r->cmd},
                                r->fence)) &&
           TRY(r, vkWaitForFences(r->device, 1, &r->fence, VK_TRUE, UINT64_MAX)) &&
           TRY(r, vkGetFenceStatus(r->device, r->fence));
}

static bool dispatch(struct run *r, struct wire *q, const void *push, uint32_t push_B)
{
    const uint32_t x = wire_u32(q), y = wire_u32(q), z = wire_u32(q);
    if (!make_set(r, VK_SHADER_STAGE_COMPUTE_BIT, push_B) ||
        !TRY(r, vkCreateComputePipelines(
                    r->device, VK_NULL_HANDLE, 1,
                    &(VkComputePipelineCreateInfo){.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                                   .stage = r->stages[0],
                                                   .layout = r->layout},
                    NULL, &r->pipeline)) ||
        !begin(r))
        return false;
    bind(r, VK_PIPELINE_BIND_POINT_COMPUTE, VK_SHADER_STAGE_COMPUTE_BIT, push, push_B);
    vkCmdDispatch(r->cmd, x, y, z);
    return end(r);
}

struct draw {
    uint32_t width, height, target_count, first_target, attribute_count, stride_B, vertex_count, instance_count;
    VkPrimitiveTopology topology;
    VkVertexInputAttributeDescription attributes[MAX_ATTRIBUTES];
    struct resource vertices;
};

/* Reads a draw: width, height, topology, numbers of vertices, instances and targets; for each target format and bytes
 * per pixel; for each attribute location, format and offset; stride, size and contents of the vertices. The targets
 * follow the descriptors in r->resources. */
static bool read_draw(struct run *r, struct wire *q, struct draw *d)
{
    d->width = wire_u32(q);
    d->height = wire_u32(q);
    d->topology = (VkPrimitiveTopology)wire_u32(q);
    d->vertex_count = wire_u32(q);
    d->instance_count = wire_u32(q);
    d->target_count = wire_u32(q);
    if (d->target_count > MAX_TARGETS || r->resource_count + d->target_count > MAX_RESOURCES)
        return refuse(r, "server: too many color targets");
    d->first_target = r->resource_count;
    for (uint32_t i = 0; i < d->target_count; i++) {
        struct resource *t = &r->resources[r->resource_count + i];
        t->format = (VkFormat)wire_u32(q);
        t->extent = (VkExtent3D){d->width, d->height, 1};
        t->layers = t->levels = 1;
        t->is_output = true;
        if (!make_image(r, t, VK_IMAGE_VIEW_TYPE_2D, wire_u32(q), VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT))
            return false;
        memset(r->mapped + t->offset_B, 0, t->size_B);
    }
    d->attribute_count = wire_u32(q);
    if (d->attribute_count > MAX_ATTRIBUTES)
        return refuse(r, "server: more than 16 vertex attributes");
    for (uint32_t i = 0; i < d->attribute_count; i++) {
        d->attributes[i].location = wire_u32(q);
        d->attributes[i].format = (VkFormat)wire_u32(q);
        d->attributes[i].offset = wire_u32(q);
    }
    d->stride_B = wire_u32(q);
    const uint32_t size_B = wire_u32(q);
    const void *contents = wire_take(q, size_B);
    if (!size_B)
        return true;
    if (!make_buffer(r, &d->vertices, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, size_B))
        return false;
    memcpy(r->mapped + d->vertices.offset_B, contents, size_B);
    return true;
}

static bool make_pass(struct run *r, const struct draw *d)
{
    VkAttachmentDescription attachments[MAX_TARGETS];
    VkAttachmentReference references[MAX_TARGETS];
    VkImageView views[MAX_TARGETS];
    for (uint32_t i = 0; i < d->target_count; i++) {
        const struct resource *t = &r->resources[d->first_target + i];
        attachments[i] = (VkAttachmentDescription){.format = t->format,
                                                   .samples = VK_SAMPLE_COUNT_1_BIT,
                                                   .loadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
                                                   .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                                   .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
                                                   .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
                                                   .initialLayout = VK_IMAGE_LAYOUT_GENERAL,
                                                   .finalLayout = VK_IMAGE_LAYOUT_GENERAL};
        references[i] = (VkAttachmentReference){i, VK_IMAGE_LAYOUT_GENERAL};
        views[i] = t->view;
    }
    const VkSubpassDescription subpass = {.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
                                          .colorAttachmentCount = d->target_count,
                                          .pColorAttachments = references};
    return TRY(r, vkCreateRenderPass(r->device,
                                     &(VkRenderPassCreateInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                                               .attachmentCount = d->target_count,
                                                               .pAttachments = attachments,
                                                               .subpassCount = 1,
                                                               .pSubpasses = &subpass},
                                     NULL, &r->pass)) &&
           TRY(r, vkCreateFramebuffer(r->device,
                                      &(VkFramebufferCreateInfo){.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                                                 .renderPass = r->pass,
                                                                 .attachmentCount = d->target_count,
                                                                 .pAttachments = views,
                                                                 .width = d->width,
                                                                 .height = d->height,
                                                                 .layers = 1},
                                      NULL, &r->framebuffer));
}

static bool make_graphics_pipeline(struct run *r, const struct draw *d)
{
    VkPipelineColorBlendAttachmentState blends[MAX_TARGETS];
    for (uint32_t i = 0; i < d->target_count; i++)
        blends[i] = (VkPipelineColorBlendAttachmentState){.colorWriteMask = 15};
    const VkVertexInputBindingDescription binding = {0, d->stride_B, VK_VERTEX_INPUT_RATE_VERTEX};
    const VkPipelineVertexInputStateCreateInfo input = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
        .vertexBindingDescriptionCount = d->attribute_count != 0,
        .pVertexBindingDescriptions = &binding,
        .vertexAttributeDescriptionCount = d->attribute_count,
        .pVertexAttributeDescriptions = d->attributes,
    };
    const VkPipelineInputAssemblyStateCreateInfo assembly = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO, .topology = d->topology};
    const VkViewport viewport = {0, 0, (float)d->width, (float)d->height, 0, 1};
    const VkRect2D scissor = {{0, 0}, {d->width, d->height}};
    const VkPipelineViewportStateCreateInfo viewports = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
        .viewportCount = 1,
        .pViewports = &viewport,
        .scissorCount = 1,
        .pScissors = &scissor,
    };
    const VkPipelineRasterizationStateCreateInfo rasterization = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .lineWidth = 1};
    const VkPipelineMultisampleStateCreateInfo samples = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
        .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
    const VkPipelineColorBlendStateCreateInfo blend = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
        .attachmentCount = d->target_count,
        .pAttachments = blends};
    return TRY(r, vkCreateGraphicsPipelines(
                      r->device, VK_NULL_HANDLE, 1,
                      &(VkGraphicsPipelineCreateInfo){.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                                      .stageCount = r->stage_count,
                                                      .pStages = r->stages,
                                                      .pVertexInputState = &input,
                                                      .pInputAssemblyState = &assembly,
                                                      .pViewportState = &viewports,
                                                      .pRasterizationState = &rasterization,
                                                      .pMultisampleState = &samples,
                                                      .pColorBlendState = &blend,
                                                      .layout = r->layout,
                                                      .renderPass = r->pass},
                      NULL, &r->pipeline));
}

static bool draw(struct run *r, struct wire *q, struct draw *d, const void *push, uint32_t push_B)
{
    const VkShaderStageFlags stages = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
    if (!make_set(r, stages, push_B))
        return false;
    const uint32_t descriptor_count = r->resource_count;
    const bool is_read = read_draw(r, q, d);
    r->resource_count += d->target_count;
    if (!is_read || !make_pass(r, d) || !make_graphics_pipeline(r, d) || !begin(r))
        return false;
    vkCmdBeginRenderPass(r->cmd,
                         &(VkRenderPassBeginInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                                  .renderPass = r->pass,
                                                  .framebuffer = r->framebuffer,
                                                  .renderArea = {{0, 0}, {d->width, d->height}}},
                         VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(r->cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, r->pipeline);
    if (descriptor_count)
        vkCmdBindDescriptorSets(r->cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, r->layout, 0, 1, &r->set, 0, NULL);
    if (push_B)
        vkCmdPushConstants(r->cmd, r->layout, stages, 0, push_B, push);
    if (d->vertices.buffer)
        vkCmdBindVertexBuffers(r->cmd, 0, 1, &d->vertices.buffer, &(VkDeviceSize){0});
    vkCmdDraw(r->cmd, d->vertex_count, d->instance_count, 0, 0);
    vkCmdEndRenderPass(r->cmd);
    return end(r);
}

/* Executes a request: whether it is a draw; specialisation constants (number, bytes and value); push constants; stages;
 * descriptors; then the draw or dispatch. */
static bool execute(struct run *r, struct wire *q, struct draw *d)
{
    VkSpecializationMapEntry entries[MAX_SPECS];
    uint64_t values[MAX_SPECS];
    const bool is_draw = wire_u32(q);
    const uint32_t spec_count = wire_u32(q);
    if (spec_count > MAX_SPECS)
        return refuse(r, "server: more than 16 specialisation constants");
    for (uint32_t i = 0; i < spec_count; i++) {
        entries[i].constantID = wire_u32(q);
        entries[i].size = wire_u32(q);
        entries[i].offset = i * 8;
        if (entries[i].size > 8)
            return refuse(r, "server: a specialisation constant of more than 8 bytes");
        memcpy(&values[i], wire_take(q, 8), 8);
    }
    const VkSpecializationInfo spec = {spec_count, entries, spec_count * 8, values};
    const uint32_t push_B = wire_u32(q);
    const void *push = wire_take(q, push_B);
    for (uint32_t left = is_draw ? 2 : 1; left; left--)
        if (!read_stage(r, q, &spec))
            return false;
    const uint32_t descriptors = wire_u32(q);
    if (descriptors > MAX_RESOURCES)
        return refuse(r, "server: more than 40 descriptors");
    for (uint32_t i = 0; i < descriptors; i++)
        if (!read_descriptor(r, q))
            return false;
    return is_draw ? draw(r, q, d, push, push_B) : dispatch(r, q, push, push_B);
}

static void destroy_resource(struct run *r, struct resource *t)
{
    vkDestroySampler(r->device, t->sampler, NULL);
    vkDestroyImageView(r->device, t->view, NULL);
    vkDestroyImage(r->device, t->image, NULL);
    vkDestroyBuffer(r->device, t->buffer, NULL);
    *t = (struct resource){0};
}

static void clean_up(struct run *r, struct draw *d)
{
    vkDestroyFence(r->device, r->fence, NULL);
    if (r->cmd)
        vkFreeCommandBuffers(r->device, r->pool, 1, &r->cmd);
    vkDestroyFramebuffer(r->device, r->framebuffer, NULL);
    vkDestroyRenderPass(r->device, r->pass, NULL);
    vkDestroyPipeline(r->device, r->pipeline, NULL);
    vkDestroyDescriptorPool(r->device, r->descriptor_pool, NULL);
    vkDestroyPipelineLayout(r->device, r->layout, NULL);
    vkDestroyDescriptorSetLayout(r->device, r->set_layout, NULL);
    for (uint32_t i = 0; i < MAX_STAGES; i++)
        vkDestroyShaderModule(r->device, r->modules[i], NULL);
    destroy_resource(r, &d->vertices);
    for (uint32_t i = 0; i < MAX_RESOURCES; i++)
        destroy_resource(r, &r->resources[i]);
    r->fence = VK_NULL_HANDLE;
    r->cmd = NULL;
    r->framebuffer = VK_NULL_HANDLE;
    r->pass = VK_NULL_HANDLE;
    r->pipeline = VK_NULL_HANDLE;
    r->descriptor_pool = VK_NULL_HANDLE;
    r->layout = VK_NULL_HANDLE;
    r->set_layout = VK_NULL_HANDLE;
    memset(r->modules, 0, sizeof r->modules);
    r->stage_count = r->resource_count = r->used_B = 0;
    r->failed = NULL;
}

static void put_failure(const struct run *r, struct wire *reply)
{
    char text[32];
    snprintf(text, sizeof text, " = %d", r->result);
    const size_t length = strcspn(r->failed, "(");
    wire_put_u32(reply, 1);
    wire_put(reply, r->failed, length);
    wire_put(reply, text, strlen(text));
}

static void put_results(const struct run *r, struct wire *reply)
{
    wire_put_u32(reply, 0);
    for (uint32_t i = 0; i < r->resource_count; i++) {
        const struct resource *t = &r->resources[i];
        if (!t->is_output)
            continue;
        wire_put_u32(reply, t->size_B);
        wire_put(reply, r->mapped + t->offset_B, t->size_B);
    }
}

int main(int argc, char **argv)
{
    struct run r = {0};
    for (int i = 1; i < argc; i++) {
        r.is_in_memory |= !strcmp(argv[i], "--in-memory");
        r.is_mutable |= !strcmp(argv[i], "--mutable");
        r.is_robust |= !strcmp(argv[i], "--robust");
    }
    struct wire request = {0}, reply = {0};
    if (!open_device(&r)) {
        fprintf(stderr, "%.*s: %d\n", (int)strcspn(r.failed, "("), r.failed, r.result);
        return 1;
    }
    while (wire_receive(&request)) {
        struct draw d = {0};
        const bool is_done = execute(&r, &request, &d);
        const bool is_lost = !is_done && r.result == VK_ERROR_DEVICE_LOST;
        if (is_done)
            put_results(&r, &reply);
        else
            put_failure(&r, &reply);
        wire_send(&reply);
        if (is_lost)
            return 0;
        clean_up(&r, &d);
    }
    vkDestroyCommandPool(r.device, r.pool, NULL);
    vkFreeMemory(r.device, r.memory, NULL);
    vkDestroyDevice(r.device, NULL);
    vkDestroyInstance(r.instance, NULL);
    free(request.bytes);
    free(reply.bytes);
    return 0;
}
