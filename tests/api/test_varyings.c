/* SPDX-License-Identifier: MIT
 *
 * The largest number of varyings that Vulkan allows an application to use, interpolated and flat. The chip handles up
 * to 32 scalars; pipelines with more run on the CPU engine.
 */
#include <string.h>
#include "vkt.h"
#include "nested.frag.h"
#include "nested.vert.h"
#include "varyings_all.frag.h"
#include "varyings_all.vert.h"
#include "varyings_chip.frag.h"
#include "varyings_chip.vert.h"
#include "varyings_flat.frag.h"
#include "varyings_flat.vert.h"
#include "varyings_mixed.frag.h"
#include "varyings_mixed.vert.h"
#include "varyings_part.frag.h"
#include "varyings_smooth.frag.h"
#include "varyings_smooth.vert.h"

#define W    128
#define H    64

static struct scene {
    const char *name;
    struct vkt_shader vs, fs;
    uint32_t smooth, flat; /* scalars */
    bool clips;            /* clips the upper quarter */
    bool is_point;         /* draws a point instead of a triangle */
    bool is_strip;         /* draws a strip of four vertices */
    bool on_engine;
    bool has_messages; /* the validation layer also counts built-ins, which exceeds the limit */
} scene;

static void draw_scene(struct vkt *t, struct vkt_picture *out)
{
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline p = vkt_pipeline_create(t, &(struct vkt_pipeline_info){
                                                       .vs = scene.vs,
                                                       .fs = scene.fs,
                                                       .pass = target.pass,
                                                       .topology = scene.is_strip   ? VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP
                                                                   : scene.is_point ? VK_PRIMITIVE_TOPOLOGY_POINT_LIST
                                                                                    : VKT_TRIANGLES,
                                                       .width = W,
                                                       .height = H,
                                                   });
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (float[]){0, 0, 0, 0}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.pipeline);
    vkCmdDraw(cmd, scene.is_point ? 1 : scene.is_strip ? 4 : 3, 1, scene.is_point ? 3 : 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    *out = vkt_read_target(t, &target);
    vkt_pipeline_destroy(t, &p);
    vkt_target_destroy(t, &target);
}

/* Computes the pixel that the shaders draw. */
static void scene_pixel(uint32_t x, uint32_t y, uint8_t rgba[4])
{
    const float at_y = scene.is_point ? 0.5f : ((float)y + 0.5f) / H;
    memset(rgba, 0, 4);
    if (scene.clips && at_y < 0.25f)
        return;
    rgba[3] = 255;
    if (x < scene.smooth)
        rgba[0] = (uint8_t)((float)(x + 1) * at_y / 128 * 255 + 0.5f);
    else if (x < scene.smooth + scene.flat)
        rgba[1] = (uint8_t)(x - scene.smooth + 1);
}

static void job_counts(struct vkt *t, uint64_t counts[3])
{
    ((void (*)(VkDevice, uint64_t *))vkt_hook(t, "vc4vk_test_job_counts"))(t->device, counts);
}

static void every_varying_arrives(void **state)
{
    const struct scene scenes[] = {
        {"varyings_chip", VKT_SHADER(varyings_chip_vert), VKT_SHADER(varyings_chip_frag), 24, 8},
        {"varyings_unread", VKT_SHADER(varyings_mixed_vert), VKT_SHADER(varyings_part_frag), 0, 28},
        {"varyings_smooth", VKT_SHADER(varyings_smooth_vert), VKT_SHADER(varyings_smooth_frag), 96, 0, .clips = true,
         .on_engine = true},
        {"varyings_mixed", VKT_SHADER(varyings_mixed_vert), VKT_SHADER(varyings_mixed_frag), 28, 28, .on_engine = true},
        {"varyings_flat", VKT_SHADER(varyings_flat_vert), VKT_SHADER(varyings_flat_frag), 0, 112, .on_engine = true},
        {"varyings_all", VKT_SHADER(varyings_all_vert), VKT_SHADER(varyings_all_frag), 64, 64, .clips = true,
         .on_engine = true, .has_messages = true},
    };
    struct vkt *t = vkt_device(VKT_TESTED);
    for (uint32_t i = 0; i < 2 * VKT_COUNT(scenes); i++) {
        uint64_t before[3], after[3];
        struct vkt_picture got, expected;
        scene = scenes[i / 2];
        scene.is_point = i % 2;
        expected = vkt_picture_compute(W, H, scene_pixel);
        job_counts(t, before);
        draw_scene(t, &got);
        job_counts(t, after);
        vkt_compare(scene.name, &expected, &got, (struct vkt_tolerance){1, 0});
        if (scene.on_engine)
            assert_true(after[2] > before[2]);
        if (scene.has_messages)
            t->validation_messages = 0;
        vkt_picture_free(&got);
        vkt_picture_free(&expected);
    }
}

/* The interpolation of a block member applies to everything nested in it. */
static void members_say_how_their_parts_are_interpolated(void **state)
{
    scene = (struct scene){"nested", VKT_SHADER(nested_vert), VKT_SHADER(nested_frag), .is_strip = true};
    vkt_compare_with_reference("varyings_nested", draw_scene, (struct vkt_tolerance){1, 15});
}

static void limits_say_so(void **state)
{
    const VkPhysicalDeviceLimits *l = &vkt_device(VKT_TESTED)->properties.limits;
    assert_int_equal(l->maxVertexOutputComponents, 128);
    assert_int_equal(l->maxFragmentInputComponents, 128);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_varying_arrives, vkt_check_messages),
        cmocka_unit_test_teardown(members_say_how_their_parts_are_interpolated, vkt_check_messages),
        cmocka_unit_test_teardown(limits_say_so, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("varyings", tests, NULL, vkt_teardown);
}
