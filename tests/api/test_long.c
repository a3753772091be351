/* SPDX-License-Identifier: MIT
 *
 * A fragment shader of thousands of instructions, which is compiled in pieces for the host while it draws: the pictures
 * from before and after are the reference's.
 */
#include "vkt.h"
#include "cover.vert.h"
#include "long.frag.h"

#define SIZE  64
#define DRAWS 4

static void draw(struct vkt *t, struct vkt_picture *out)
{
    struct vkt_target target = vkt_target_create(t, SIZE, SIZE, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline p = vkt_pipeline_create(t, &(struct vkt_pipeline_info){
                                                       .vs = VKT_SHADER(cover_vert),
                                                       .fs = VKT_SHADER(long_frag),
                                                       .pass = target.pass,
                                                       .topology = VKT_TRIANGLES,
                                                       .width = SIZE,
                                                       .height = SIZE,
                                                   });
    for (unsigned n = 0; n < DRAWS; n++) {
        VkCommandBuffer cmd = vkt_begin(t);
        vkt_begin_pass(cmd, &target, (float[]){0, 0, 0, 0}, 1, 0);
        vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.pipeline);
        vkCmdDraw(cmd, 3, 1, 0, 0);
        vkCmdEndRenderPass(cmd);
        vkt_end_submit(t, cmd);
        const struct vkt_picture got = vkt_read_target(t, &target);
        if (n) { /* the same, whatever ran it */
            vkt_compare("long_again", out, &got, (struct vkt_tolerance){0, 0});
            vkt_picture_free(out);
        }
        *out = got;
    }
    vkt_pipeline_destroy(t, &p);
    vkt_target_destroy(t, &target);
}

static void draws_as_the_reference(void **state)
{
    vkt_compare_with_reference("long", draw, (struct vkt_tolerance){1, 5});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(draws_as_the_reference, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("long", tests, NULL, vkt_teardown);
}
