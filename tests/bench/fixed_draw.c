/* SPDX-License-Identifier: MIT
 *
 * fixed_draw FRAMES: draws the same frame FRAMES times, so that instructions.py can count the instructions per frame. A
 * frame has a filtered texture over the whole 128 x 128 target and 400 small rectangles in front of it.
 */
#include <stdlib.h>
#include "vkt.h"
#include "full.vert.h"
#include "push.frag.h"
#include "push.vert.h"
#include "texture.frag.h"

enum { SIDE = 128, RECTS = 400 };

static unsigned long frames;

static void draw_rects(VkCommandBuffer cmd, const struct vkt_pipeline *rects)
{
    const VkShaderStageFlags stages = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, rects->pipeline);
    for (uint32_t i = 0; i < RECTS; i++) {
        const float x = (float)(i % 20) / 10 - 1, y = (float)(i / 20) / 10 - 1;
        const float push[9] = {1, x, y, 1, x, y, x + 0.07f, y + 0.07f, 0.5f};
        vkCmdPushConstants(cmd, rects->layout, stages, 0, sizeof push, push);
        vkCmdDraw(cmd, 4, 1, 0, 0);
    }
}

static void draw(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    struct vkt_target target = vkt_target_create(t, SIDE, SIDE, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_D24_UNORM_S8_UINT);
    struct vkt_image texture = vkt_image_create(
        t, &(struct vkt_image_info){.format = VK_FORMAT_R8G8B8A8_UNORM,
                                    .width = SIDE,
                                    .height = SIDE,
                                    .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT});
    uint32_t *texels = malloc(sizeof *texels * SIDE * SIDE);
    assert_non_null(texels);
    for (uint32_t i = 0; i < SIDE * SIDE; i++)
        texels[i] = i * 2654435761u;
    vkt_image_upload(t, &texture, 0, 0, texels, sizeof *texels * SIDE * SIDE);
    VkSampler sampler = vkt_sampler_create(t, VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                           VK_SAMPLER_ADDRESS_MODE_REPEAT, 0);
    VkDescriptorSetLayout sets = vkt_set_layout_create(
        t, &(struct vkt_binding){VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_SHADER_STAGE_FRAGMENT_BIT, 1}, 1);
    VkDescriptorSet set = vkt_set_alloc(t, sets);
    vkt_set_texture(t, set, 0, texture.view, sampler);
    struct vkt_pipeline_info info = {.vs = VKT_SHADER(full_vert),
                                     .fs = VKT_SHADER(texture_frag),
                                     .pass = target.pass,
                                     .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                     .set_layouts = {sets},
                                     .set_layout_count = 1,
                                     .width = SIDE,
                                     .height = SIDE};
    struct vkt_pipeline textured = vkt_pipeline_create(t, &info);
    info.vs = VKT_SHADER(push_vert), info.fs = VKT_SHADER(push_frag);
    info.set_layout_count = 0, info.push_size_B = 36;
    info.depth_test = info.depth_write = true, info.depth_compare = VK_COMPARE_OP_LESS;
    struct vkt_pipeline rects = vkt_pipeline_create(t, &info);
    for (unsigned long i = 0; i < frames; i++) {
        VkCommandBuffer cmd = vkt_begin(t);
        vkt_begin_pass(cmd, &target, (float[4]){0, 0, 0, 1}, 1, 0);
        vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, textured.pipeline);
        vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, textured.layout, 0, 1, &set, 0, NULL);
        vkCmdDraw(cmd, 4, 1, 0, 0);
        draw_rects(cmd, &rects);
        vkCmdEndRenderPass(cmd);
        vkt_end_submit(t, cmd);
    }
    free(texels);
    vkt_pipeline_destroy(t, &rects);
    vkt_pipeline_destroy(t, &textured);
    vkDestroyDescriptorSetLayout(t->device, sets, NULL);
    vkDestroySampler(t->device, sampler, NULL);
    vkt_image_destroy(t, &texture);
    vkt_target_destroy(t, &target);
}

int main(int argc, char **argv)
{
    frames = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(draw)};
    return cmocka_run_group_tests_name("fixed_draw", tests, NULL, vkt_teardown);
}
