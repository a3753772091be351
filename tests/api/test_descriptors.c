/* SPDX-License-Identifier: MIT
 *
 * Kinds of descriptors beyond Vulkan 1.0: inline uniform blocks, and mutable descriptors. Each is written in every way
 * that there is: by writes, by update templates, by copies.
 */
#include <string.h>
#include "vkt.h"
#include "full.vert.h"
#include "inline_block_comp.h"
#include "inline_block_frag.h"
#include "mutable_comp.h"
#include "mutable_frag.h"
#include "mutable_vert.h"

#define WORDS 16u

/* ---------------------------------------------------------------- inline uniform blocks */

struct blocks {
    struct vkt t;
    VkDescriptorSetLayout layout;
    VkDescriptorPool pool;
    struct vkt_buffer between, seen;
    struct vkt_pipeline graphics;
    VkPipeline compute;
    struct vkt_target target;
};

static VkPipeline make_compute(struct vkt *t, struct vkt_shader shader, VkPipelineLayout layout)
{
    VkShaderModule module;
    VkPipeline pipeline;
    vkt_ok(vkCreateShaderModule(t->device,
                                &(VkShaderModuleCreateInfo){.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                                            .codeSize = shader.size_B,
                                                            .pCode = shader.words},
                                NULL, &module));
    vkt_ok(vkCreateComputePipelines(
        t->device, VK_NULL_HANDLE, 1,
        &(VkComputePipelineCreateInfo){.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                       .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                 .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                 .module = module,
                                                 .pName = "main"},
                                       .layout = layout},
        NULL, &pipeline));
    vkDestroyShaderModule(t->device, module, NULL);
    return pipeline;
}

/* `after_bind`: the blocks may be updated while they are bound. */
static struct blocks open_blocks(bool after_bind)
{
    static const char *const extensions[] = {
        VK_EXT_INLINE_UNIFORM_BLOCK_EXTENSION_NAME, VK_KHR_DESCRIPTOR_UPDATE_TEMPLATE_EXTENSION_NAME,
        VK_KHR_MAINTENANCE3_EXTENSION_NAME, VK_EXT_DESCRIPTOR_INDEXING_EXTENSION_NAME};
    VkPhysicalDeviceInlineUniformBlockFeatures features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_INLINE_UNIFORM_BLOCK_FEATURES,
        .inlineUniformBlock = VK_TRUE,
        .descriptorBindingInlineUniformBlockUpdateAfterBind = after_bind};
    struct blocks b = {.t = vkt_device_create_chain(vkt_device(VKT_TESTED), extensions, after_bind ? 4 : 2, &features)};
    struct vkt *t = &b.t;
    const VkShaderStageFlags stages = VK_SHADER_STAGE_FRAGMENT_BIT | VK_SHADER_STAGE_COMPUTE_BIT;
    const VkDescriptorSetLayoutBinding bindings[] = {
        {0, VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, WORDS * 4, stages, NULL},
        {1, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1, stages, NULL},
        {2, VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, 4, stages, NULL},
        {3, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, stages, NULL},
    };
    const VkDescriptorBindingFlags flags[] = {VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT, 0,
                                              VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT, 0};
    const VkDescriptorSetLayoutBindingFlagsCreateInfo flags_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO,
        .bindingCount = VKT_COUNT(flags),
        .pBindingFlags = flags};
    vkt_ok(vkCreateDescriptorSetLayout(
        t->device,
        &(VkDescriptorSetLayoutCreateInfo){
            .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
            .pNext = after_bind ? &flags_info : NULL,
            .flags = after_bind ? VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT : 0,
            .bindingCount = VKT_COUNT(bindings),
            .pBindings = bindings},
        NULL, &b.layout));
    /* Room for exactly three sets. */
    const VkDescriptorPoolInlineUniformBlockCreateInfo block_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_INLINE_UNIFORM_BLOCK_CREATE_INFO,
        .maxInlineUniformBlockBindings = 6};
    const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, 3 * (WORDS * 4 + 4)},
                                          {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 3},
                                          {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 3}};
    vkt_ok(vkCreateDescriptorPool(
        t->device,
        &(VkDescriptorPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                      .pNext = &block_info,
                                      .flags = VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT |
                                               (after_bind ? VK_DESCRIPTOR_POOL_CREATE_UPDATE_AFTER_BIND_BIT : 0),
                                      .maxSets = 3,
                                      .poolSizeCount = VKT_COUNT(sizes),
                                      .pPoolSizes = sizes},
        NULL, &b.pool));
    b.between = vkt_buffer_create(t, 16, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, &(uint32_t[4]){5});
    b.seen = vkt_storage_buffer(t, WORDS, 0);
    b.target = vkt_target_create(t, WORDS, 1, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    b.graphics = vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(full_vert),
                                                                    .fs = VKT_SHADER(inline_block_frag),
                                                                    .pass = b.target.pass,
                                                                    .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                                                    .width = WORDS,
                                                                    .height = 1,
                                                                    .set_layouts = {b.layout},
                                                                    .set_layout_count = 1});
    b.compute = make_compute(t, VKT_SHADER(inline_block_comp), b.graphics.layout);
    return b;
}

static void close_blocks(struct blocks *b)
{
    struct vkt *t = &b->t;
    vkDestroyPipeline(t->device, b->compute, NULL);
    vkt_pipeline_destroy(t, &b->graphics);
    vkt_target_destroy(t, &b->target);
    vkt_buffer_destroy(t, &b->seen);
    vkt_buffer_destroy(t, &b->between);
    vkDestroyDescriptorPool(t->device, b->pool, NULL);
    vkDestroyDescriptorSetLayout(t->device, b->layout, NULL);
    vkt_device_close(t);
}

static VkDescriptorSet block_set(struct blocks *b)
{
    VkDescriptorSet set;
    vkt_ok(vkAllocateDescriptorSets(b->t.device,
                                    &(VkDescriptorSetAllocateInfo){
                                        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                        .descriptorPool = b->pool,
                                        .descriptorSetCount = 1,
                                        .pSetLayouts = &b->layout},
                                    &set));
    vkt_set_buffer(&b->t, set, 1, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, b->between.buffer, 0, 16);
    vkt_set_buffer(&b->t, set, 3, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, b->seen.buffer, 0, VK_WHOLE_SIZE);
    return set;
}

static void write_block(struct blocks *b, VkDescriptorSet set, uint32_t binding, uint32_t at_B, const void *data,
                        uint32_t size_B)
{
    const VkWriteDescriptorSetInlineUniformBlock block = {
        .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_INLINE_UNIFORM_BLOCK, .dataSize = size_B, .pData = data};
    vkUpdateDescriptorSets(b->t.device, 1,
                           &(VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                                   .pNext = &block,
                                                   .dstSet = set,
                                                   .dstBinding = binding,
                                                   .dstArrayElement = at_B,
                                                   .descriptorCount = size_B,
                                                   .descriptorType = VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK},
                           0, NULL);
}

/* A draw and a dispatch that read the blocks. */
static VkCommandBuffer record_sums(struct blocks *b, VkDescriptorSet set)
{
    VkCommandBuffer cmd = vkt_begin(&b->t);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, b->graphics.layout, 0, 1, &set, 0, NULL);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, b->graphics.layout, 0, 1, &set, 0, NULL);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, b->graphics.pipeline);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, b->compute);
    vkt_begin_pass(cmd, &b->target, (float[4]){0}, 1, 0);
    vkCmdDraw(cmd, 4, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkCmdDispatch(cmd, 1, 1, 1);
    vkt_barrier_all(cmd);
    return cmd;
}

static void check_sums(struct blocks *b, const uint32_t first[WORDS], uint32_t second)
{
    struct vkt_picture picture = vkt_read_target(&b->t, &b->target);
    const uint32_t *seen = b->seen.map;
    for (uint32_t i = 0; i < WORDS; i++) {
        const uint32_t expected = first[i] + first[15] * 2 + 5 + second;
        assert_int_equal(seen[i], expected);
        assert_int_equal(picture.rgba[4 * i], expected);
    }
    vkt_picture_free(&picture);
}

static void expect_sums(struct blocks *b, VkDescriptorSet set, const uint32_t first[WORDS], uint32_t second)
{
    vkt_end_submit(&b->t, record_sums(b, set));
    check_sums(b, first, second);
}

static void inline_blocks_hold_their_bytes(void **state)
{
    struct blocks b = open_blocks(false);
    uint32_t words[2][WORDS], seconds[2] = {3, 9};
    for (uint32_t i = 0; i < WORDS; i++) {
        words[0][i] = i + 1;
        words[1][i] = 60 - 2 * i;
    }
    VkDescriptorSet sets[3] = {block_set(&b), block_set(&b), block_set(&b)};
    for (uint32_t i = 0; i < 2; i++) {
        write_block(&b, sets[i], 0, 0, words[i], sizeof words[i]);
        write_block(&b, sets[i], 2, 0, &seconds[i], 4);
    }
    expect_sums(&b, sets[0], words[0], seconds[0]);
    expect_sums(&b, sets[1], words[1], seconds[1]);
    /* Part of a block. */
    words[0][6] = 90;
    words[0][7] = 80;
    write_block(&b, sets[0], 0, 24, &words[0][6], 8);
    expect_sums(&b, sets[0], words[0], seconds[0]);
    /* Copies: a whole block, then bytes from another one at another place. */
    const VkCopyDescriptorSet copies[] = {
        {VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET, NULL, sets[0], 0, 0, sets[2], 0, 0, WORDS * 4},
        {VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET, NULL, sets[1], 0, 8, sets[2], 0, 32, 12},
        {VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET, NULL, sets[1], 2, 0, sets[2], 2, 0, 4}};
    vkUpdateDescriptorSets(b.t.device, 0, NULL, 3, copies);
    memcpy(&words[0][8], &words[1][2], 12);
    expect_sums(&b, sets[2], words[0], seconds[1]);
    expect_sums(&b, sets[1], words[1], seconds[1]);
    close_blocks(&b);
}

/* Commands read the bytes that a block has when they run: those written after recording, and others when they are
 * submitted again. A block may also be written for the first time after it has been bound. */
static void inline_blocks_are_updated_after_binding(void **state)
{
    struct blocks b = open_blocks(true);
    uint32_t words[WORDS], second = 4;
    VkDescriptorSet set = block_set(&b);
    VkCommandBuffer cmd = record_sums(&b, set);
    vkt_ok(vkEndCommandBuffer(cmd));
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < WORDS; i++)
            words[i] = 10 * round + i;
        second += round;
        write_block(&b, set, 0, 0, words, sizeof words);
        write_block(&b, set, 2, 0, &second, 4);
        vkt_submit(&b.t, cmd);
        check_sums(&b, words, second);
    }
    vkFreeCommandBuffers(b.t.device, b.t.pool, 1, &cmd);
    close_blocks(&b);
}

static void templates_write_inline_blocks(void **state)
{
    struct blocks b = open_blocks(false);
    struct vkt *t = &b.t;
    PFN_vkCreateDescriptorUpdateTemplateKHR create = (PFN_vkCreateDescriptorUpdateTemplateKHR)vkGetDeviceProcAddr(
        t->device, "vkCreateDescriptorUpdateTemplateKHR");
    PFN_vkDestroyDescriptorUpdateTemplateKHR destroy = (PFN_vkDestroyDescriptorUpdateTemplateKHR)vkGetDeviceProcAddr(
        t->device, "vkDestroyDescriptorUpdateTemplateKHR");
    PFN_vkUpdateDescriptorSetWithTemplateKHR update = (PFN_vkUpdateDescriptorSetWithTemplateKHR)vkGetDeviceProcAddr(
        t->device, "vkUpdateDescriptorSetWithTemplateKHR");
    struct {
        uint32_t second, words[WORDS];
    } data = {.second = 11};
    const VkDescriptorUpdateTemplateEntry entries[] = {
        {0, 0, WORDS * 4, VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, offsetof(__typeof__(data), words), 0},
        {2, 0, 4, VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, offsetof(__typeof__(data), second), 0}};
    VkDescriptorUpdateTemplateKHR template;
    assert_true(create && destroy && update);
    vkt_ok(create(t->device,
                  &(VkDescriptorUpdateTemplateCreateInfo){
                      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO,
                      .descriptorUpdateEntryCount = 2,
                      .pDescriptorUpdateEntries = entries,
                      .templateType = VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_DESCRIPTOR_SET,
                      .descriptorSetLayout = b.layout},
                  NULL, &template));
    for (uint32_t i = 0; i < WORDS; i++)
        data.words[i] = 3 * i;
    VkDescriptorSet set = block_set(&b);
    update(t->device, set, template, &data);
    expect_sums(&b, set, data.words, data.second);
    destroy(t->device, template, NULL);
    close_blocks(&b);
}

static void pools_count_inline_bytes(void **state)
{
    struct blocks b = open_blocks(false);
    struct vkt *t = &b.t;
    const VkDescriptorSetAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                              .descriptorPool = b.pool,
                                              .descriptorSetCount = 1,
                                              .pSetLayouts = &b.layout};
    const uint32_t words[WORDS] = {7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7}, second = 1;
    VkDescriptorSet sets[3];
    for (uint32_t round = 0; round < 5; round++) {
        for (uint32_t i = 0; i < 3; i++)
            sets[i] = block_set(&b);
        for (uint32_t i = 0; i < 3; i++) {
            write_block(&b, sets[i], 0, 0, words, sizeof words);
            write_block(&b, sets[i], 2, 0, &second, 4);
        }
        expect_sums(&b, sets[round % 3], words, second);
        if (round % 2)
            vkt_ok(vkFreeDescriptorSets(t->device, b.pool, 3, sets));
        else
            vkt_ok(vkResetDescriptorPool(t->device, b.pool, 0));
    }
    for (uint32_t i = 0; i < 3; i++)
        vkt_ok(vkAllocateDescriptorSets(t->device, &info, &sets[i]));
    vkt_accept_message(t, "VUID-VkDescriptorSetAllocateInfo-descriptorSetCount-00306");
    VkDescriptorSet more;
    assert_int_equal(vkAllocateDescriptorSets(t->device, &info, &more), VK_ERROR_OUT_OF_POOL_MEMORY);
    close_blocks(&b);
}

/* ---------------------------------------------------------------- mutable descriptors */

#define KINDS 8u

static const VkDescriptorType kinds[KINDS] = {
    VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,       VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
    VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,        VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
    VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
    VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_DESCRIPTOR_TYPE_SAMPLER};

struct mutables {
    struct vkt t;
    VkDescriptorSetLayout layout;
    VkDescriptorPool pool;
    struct vkt_buffer buffers[KINDS], seen; /* images and the sampler have none */
    VkBufferView views[KINDS];
    struct vkt_image images[KINDS];
    VkSampler sampler;
    struct vkt_target target;
    struct vkt_pipeline graphics;
    VkPipeline compute;
};

static bool is_image(VkDescriptorType type)
{
    return type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE || type == VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE ||
           type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
}

static bool is_texel_buffer(VkDescriptorType type)
{
    return type == VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER || type == VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
}

static void make_resources(struct mutables *m)
{
    struct vkt *t = &m->t;
    for (uint32_t i = 0; i < KINDS; i++) {
        const uint32_t value = 50 + i;
        if (kinds[i] == VK_DESCRIPTOR_TYPE_SAMPLER)
            continue;
        if (is_image(kinds[i])) {
            m->images[i] = vkt_image_create(
                t, &(struct vkt_image_info){.format = VK_FORMAT_R32_UINT,
                                            .width = 1,
                                            .height = 1,
                                            .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT |
                                                     VK_IMAGE_USAGE_TRANSFER_DST_BIT});
            vkt_image_upload(t, &m->images[i], 0, 0, &value, 4);
            continue;
        }
        m->buffers[i] = vkt_buffer_create(
            t, 16,
            VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT,
            &(uint32_t[4]){value});
        if (is_texel_buffer(kinds[i]))
            vkt_ok(vkCreateBufferView(t->device,
                                      &(VkBufferViewCreateInfo){.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
                                                                .buffer = m->buffers[i].buffer,
                                                                .format = VK_FORMAT_R32_UINT,
                                                                .range = VK_WHOLE_SIZE},
                                      NULL, &m->views[i]));
    }
    m->sampler =
        vkt_sampler_create(t, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST, VK_SAMPLER_ADDRESS_MODE_REPEAT, 0);
    m->seen = vkt_storage_buffer(t, KINDS, 0);
    m->target = vkt_target_create(t, KINDS, 2, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
}

/* `flags`: of the mutable binding. */
static void make_layout(struct mutables *m, VkDescriptorBindingFlags flags)
{
    struct vkt *t = &m->t;
    const VkShaderStageFlags stages =
        VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT | VK_SHADER_STAGE_COMPUTE_BIT;
    const VkMutableDescriptorTypeListEXT lists[] = {{KINDS, kinds}, {0, NULL}};
    const VkMutableDescriptorTypeCreateInfoEXT mutable = {
        .sType = VK_STRUCTURE_TYPE_MUTABLE_DESCRIPTOR_TYPE_CREATE_INFO_EXT,
        .mutableDescriptorTypeListCount = 2,
        .pMutableDescriptorTypeLists = lists};
    const VkDescriptorBindingFlags all_flags[] = {flags, 0};
    const VkDescriptorSetLayoutBindingFlagsCreateInfo with = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO,
        .pNext = &mutable,
        .bindingCount = 2,
        .pBindingFlags = all_flags};
    const VkDescriptorSetLayoutBinding bindings[] = {{0, VK_DESCRIPTOR_TYPE_MUTABLE_EXT, KINDS, stages, NULL},
                                                     {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, stages, NULL}};
    vkt_ok(vkCreateDescriptorSetLayout(
        t->device,
        &(VkDescriptorSetLayoutCreateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                           .pNext = flags ? (const void *)&with : &mutable,
                                           .bindingCount = 2,
                                           .pBindings = bindings},
        NULL, &m->layout));
    const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_MUTABLE_EXT, 2 * KINDS},
                                          {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2}};
    vkt_ok(vkCreateDescriptorPool(t->device,
                                  &(VkDescriptorPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                                                .pNext = &mutable,
                                                                .maxSets = 2,
                                                                .poolSizeCount = 2,
                                                                .pPoolSizes = sizes},
                                  NULL, &m->pool));
}

static struct mutables open_mutables(const char *extension, VkDescriptorBindingFlags flags)
{
    VkPhysicalDeviceDescriptorIndexingFeatures indexing = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_FEATURES,
        .descriptorBindingPartiallyBound = VK_TRUE};
    VkPhysicalDeviceMutableDescriptorTypeFeaturesEXT features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MUTABLE_DESCRIPTOR_TYPE_FEATURES_EXT,
        .mutableDescriptorType = VK_TRUE};
    indexing.pNext = &features;
    const char *const extensions[] = {extension, VK_KHR_MAINTENANCE_3_EXTENSION_NAME,
                                      VK_EXT_DESCRIPTOR_INDEXING_EXTENSION_NAME};
    struct mutables m = {.t = vkt_device_create_chain(vkt_device(VKT_TESTED), extensions, flags ? 3 : 2,
                                                      flags ? (void *)&indexing : &features)};
    struct vkt *t = &m.t;
    make_layout(&m, flags);
    make_resources(&m);
    m.graphics = vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(mutable_vert),
                                                                    .fs = VKT_SHADER(mutable_frag),
                                                                    .pass = m.target.pass,
                                                                    .topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST,
                                                                    .width = KINDS,
                                                                    .height = 2,
                                                                    .set_layouts = {m.layout},
                                                                    .set_layout_count = 1});
    m.compute = make_compute(t, VKT_SHADER(mutable_comp), m.graphics.layout);
    return m;
}

static void close_mutables(struct mutables *m)
{
    struct vkt *t = &m->t;
    vkDestroyPipeline(t->device, m->compute, NULL);
    vkt_pipeline_destroy(t, &m->graphics);
    for (uint32_t i = 0; i < KINDS; i++) {
        if (m->views[i])
            vkDestroyBufferView(t->device, m->views[i], NULL);
        if (is_image(kinds[i]))
            vkt_image_destroy(t, &m->images[i]);
        else if (m->buffers[i].buffer)
            vkt_buffer_destroy(t, &m->buffers[i]);
    }
    vkt_target_destroy(t, &m->target);
    vkt_buffer_destroy(t, &m->seen);
    vkDestroySampler(t->device, m->sampler, NULL);
    vkDestroyDescriptorPool(t->device, m->pool, NULL);
    vkDestroyDescriptorSetLayout(t->device, m->layout, NULL);
    vkt_device_close(t);
}

/* Writes element `element` as what kind `kind` is. */
static void write_kind(struct mutables *m, VkDescriptorSet set, uint32_t element, uint32_t kind)
{
    const bool has_image = is_image(kinds[kind]) || kinds[kind] == VK_DESCRIPTOR_TYPE_SAMPLER;
    const VkDescriptorImageInfo image = {m->sampler, m->images[kind].view, VK_IMAGE_LAYOUT_GENERAL};
    const VkDescriptorBufferInfo buffer = {m->buffers[kind].buffer, 0, VK_WHOLE_SIZE};
    vkUpdateDescriptorSets(m->t.device, 1,
                           &(VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                                   .dstSet = set,
                                                   .dstBinding = 0,
                                                   .dstArrayElement = element,
                                                   .descriptorCount = 1,
                                                   .descriptorType = kinds[kind],
                                                   .pImageInfo = has_image ? &image : NULL,
                                                   .pBufferInfo = has_image ? NULL : &buffer,
                                                   .pTexelBufferView = &m->views[kind]},
                           0, NULL);
}

static VkDescriptorSet mutable_set(struct mutables *m)
{
    VkDescriptorSet set;
    vkt_ok(vkAllocateDescriptorSets(m->t.device,
                                    &(VkDescriptorSetAllocateInfo){
                                        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                        .descriptorPool = m->pool,
                                        .descriptorSetCount = 1,
                                        .pSetLayouts = &m->layout},
                                    &set));
    vkt_set_buffer(&m->t, set, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, m->seen.buffer, 0, VK_WHOLE_SIZE);
    return set;
}

/* What kind `kind` reads. The compute shader has stored to three of them before the second run. */
static uint32_t expect_kind(uint32_t kind, bool has_run)
{
    if (has_run && (kind == 1 || kind == 2 || kind == 5))
        return 200 + kind;
    return kind == 7 ? 53 : 50 + kind; /* the sampler is used with the image of kind 3 */
}

static void check_kinds(struct mutables *m, VkDescriptorSet set, bool has_run)
{
    struct vkt *t = &m->t;
    VkCommandBuffer cmd = vkt_begin(t);
    for (uint32_t i = 0; i < KINDS; i++)
        if (is_image(kinds[i]))
            vkt_image_barrier(cmd, &m->images[i],
                              has_run ? VK_IMAGE_LAYOUT_GENERAL : VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                              VK_IMAGE_LAYOUT_GENERAL);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, m->graphics.layout, 0, 1, &set, 0, NULL);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, m->graphics.pipeline);
    vkt_begin_pass(cmd, &m->target, (float[4]){1, 1, 1, 1}, 1, 0);
    vkCmdDraw(cmd, 2 * KINDS, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_barrier_all(cmd);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, m->compute);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, m->graphics.layout, 0, 1, &set, 0, NULL);
    vkCmdDispatch(cmd, 1, 1, 1);
    vkt_barrier_all(cmd);
    vkt_end_submit(t, cmd);
    struct vkt_picture picture = vkt_read_target(t, &m->target);
    const uint32_t *seen = m->seen.map;
    for (uint32_t i = 0; i < KINDS; i++) {
        assert_int_equal(seen[i], expect_kind(i, has_run));
        for (uint32_t row = 0; row < 2; row++)
            assert_int_equal(picture.rgba[4 * (row * KINDS + i)], expect_kind(i, has_run));
    }
    vkt_picture_free(&picture);
}

static void mutable_elements_take_any_type(void **state)
{
    static const char *const names[] = {VK_EXT_MUTABLE_DESCRIPTOR_TYPE_EXTENSION_NAME,
                                        VK_VALVE_MUTABLE_DESCRIPTOR_TYPE_EXTENSION_NAME};
    for (uint32_t n = 0; n < 4; n++) { /* in tables, and in memory of the set */
        struct mutables m = open_mutables(names[n % 2], n < 2 ? 0 : VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT);
        VkDescriptorSet sets[2] = {mutable_set(&m), mutable_set(&m)};
        for (uint32_t i = 0; i < KINDS; i++)
            write_kind(&m, sets[0], i, KINDS - 1 - i); /* overwritten by a descriptor of another type */
        for (uint32_t i = 0; i < KINDS; i++)
            write_kind(&m, sets[0], i, i);
        check_kinds(&m, sets[0], false);
        const VkCopyDescriptorSet copy = {
            VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET, NULL, sets[0], 0, 0, sets[1], 0, 0, KINDS};
        vkUpdateDescriptorSets(m.t.device, 0, NULL, 1, &copy);
        check_kinds(&m, sets[1], true);
        close_mutables(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(inline_blocks_hold_their_bytes, vkt_check_messages),
        cmocka_unit_test_teardown(inline_blocks_are_updated_after_binding, vkt_check_messages),
        cmocka_unit_test_teardown(templates_write_inline_blocks, vkt_check_messages),
        cmocka_unit_test_teardown(pools_count_inline_bytes, vkt_check_messages),
        cmocka_unit_test_teardown(mutable_elements_take_any_type, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("descriptors", tests, NULL, vkt_teardown);
}
