/* SPDX-License-Identifier: MIT
 *
 * Compute pipelines and storage buffers of the API tests, and a full memory barrier.
 */
#include <string.h>
#include "vkt.h"

#define STORAGE VK_DESCRIPTOR_TYPE_STORAGE_BUFFER
#define COMPUTE VK_SHADER_STAGE_COMPUTE_BIT

struct vkt_compute vkt_compute_create(struct vkt *t, struct vkt_shader shader, const VkDescriptorSetLayout *sets,
                                     uint32_t set_count, uint32_t push_B, const VkSpecializationInfo *spec)
{
    struct vkt_compute c = {.set_count = set_count};
    VkShaderModule module;
    if (set_count)
        memcpy(c.set_layouts, sets, set_count * sizeof *sets);
    vkt_ok(vkCreateShaderModule(t->device,
                                &(VkShaderModuleCreateInfo){.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                                            .codeSize = shader.size_B,
                                                            .pCode = shader.words},
                                NULL, &module));
    vkt_ok(vkCreatePipelineLayout(t->device,
                                  &(VkPipelineLayoutCreateInfo){
                                      .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                      .setLayoutCount = set_count,
                                      .pSetLayouts = sets,
                                      .pushConstantRangeCount = push_B ? 1 : 0,
                                      .pPushConstantRanges = &(VkPushConstantRange){COMPUTE, 0, push_B},
                                  },
                                  NULL, &c.layout));
    vkt_ok(vkCreateComputePipelines(t->device, VK_NULL_HANDLE, 1,
                                    &(VkComputePipelineCreateInfo){
                                        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                  .stage = COMPUTE,
                                                  .module = module,
                                                  .pName = "main",
                                                  .pSpecializationInfo = spec},
                                        .layout = c.layout,
                                    },
                                    NULL, &c.pipeline));
    vkDestroyShaderModule(t->device, module, NULL);
    return c;
}

struct vkt_compute vkt_compute_create_simple(struct vkt *t, struct vkt_shader shader, uint32_t buffer_count,
                                            uint32_t push_B, const VkSpecializationInfo *spec)
{
    const struct vkt_binding bindings[] = {{STORAGE, COMPUTE, 0}, {STORAGE, COMPUTE, 0}, {STORAGE, COMPUTE, 0}};
    VkDescriptorSetLayout set = vkt_set_layout_create(t, bindings, buffer_count);
    return vkt_compute_create(t, shader, &set, 1, push_B, spec);
}

void vkt_compute_destroy(struct vkt *t, struct vkt_compute *c)
{
    vkDestroyPipeline(t->device, c->pipeline, NULL);
    vkDestroyPipelineLayout(t->device, c->layout, NULL);
    for (uint32_t i = 0; i < c->set_count; i++)
        vkDestroyDescriptorSetLayout(t->device, c->set_layouts[i], NULL);
}

void vkt_compute_bind(VkCommandBuffer cmd, const struct vkt_compute *c, const VkDescriptorSet *sets)
{
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, c->pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, c->layout, 0, c->set_count, sets, 0, NULL);
}

struct vkt_buffer vkt_storage_buffer(struct vkt *t, uint32_t words, VkBufferUsageFlags more)
{
    struct vkt_buffer b = vkt_buffer_create(t, words * 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | more, NULL);
    memset(b.map, 0, words * 4);
    return b;
}

VkDescriptorSet vkt_compute_set(struct vkt *t, const struct vkt_compute *c, const struct vkt_buffer *buffers,
                                uint32_t count)
{
    VkDescriptorSet set = vkt_set_alloc(t, c->set_layouts[0]);
    for (uint32_t i = 0; i < count; i++)
        vkt_set_buffer(t, set, i, STORAGE, buffers[i].buffer, 0, VK_WHOLE_SIZE);
    return set;
}

void vkt_barrier_all(VkCommandBuffer cmd)
{
    const VkMemoryBarrier all = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
    };
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &all, 0,
                         NULL, 0, NULL);
}
