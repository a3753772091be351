/* SPDX-License-Identifier: MIT
 *
 * Quads with helper invocations under RequireFullQuadsKHR and QuadDerivativesKHR, and votes of quads. Layers that are
 * older than SPV_KHR_quad_control refuse such modules, so this test runs without them.
 */
#include <stdlib.h>
#include "vkt.h"
#include "quads.frag.h"
#include "quads.vert.h"

#define SIZE_PX 16

static void expect(uint32_t x, uint32_t y, uint8_t rgba_out[4])
{
    const bool is_cut = x / 2 == y / 2; /* one of the quad's pixels is not covered */
    rgba_out[0] = y <= x && is_cut ? 255 : 0;
    rgba_out[1] = y <= x && !is_cut ? 255 : 0;
    rgba_out[2] = y <= x ? 255 : 0;
    rgba_out[3] = y <= x ? 255 : 0;
}

static void helper_invocations_take_part(void **state)
{
    const VkInstanceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .pApplicationInfo =
            &(VkApplicationInfo){.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_1},
    };
    struct vkt t = {0};
    vkt_ok(vkCreateInstance(&info, NULL, &t.instance));
    t = vkt_device_create(&t);
    struct vkt_picture expected = vkt_picture_compute(SIZE_PX, SIZE_PX, expect);
    struct vkt_picture got = vkt_draw_triangle(&t, VKT_SHADER(quads_vert), VKT_SHADER(quads_frag), SIZE_PX);
    vkt_compare("quads", &expected, &got, (struct vkt_tolerance){0, 0});
    vkt_picture_free(&expected);
    vkt_picture_free(&got);
    vkt_device_close(&t);
    vkDestroyInstance(t.instance, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(helper_invocations_take_part)};
    const char *icd = getenv("VKT_TESTED_ICD");
    if (icd)
        setenv("VK_ICD_FILENAMES", icd, 1);
    vkt_request_version(VK_API_VERSION_1_1);
    return cmocka_run_group_tests_name("api_quads", tests, NULL, NULL);
}
