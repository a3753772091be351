/* SPDX-License-Identifier: MIT
 *
 * 64-bit floats: a compute program with them in every storage class, whose results are the host's bit for bit, and
 * vertex and fragment programs that draw what 32-bit floats cannot tell apart.
 */
#include <math.h>
#include <string.h>
#include "vkt.h"
#include "doubles.comp.h"
#include "doubles.frag.h"
#include "doubles.vert.h"

#define STORAGE VK_DESCRIPTOR_TYPE_STORAGE_BUFFER
#define UNIFORM VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER
#define COMPUTE VK_SHADER_STAGE_COMPUTE_BIT
#define COUNT   32

/* ---------------------------------------------------------------- storage classes */

struct in {
    double x[COUNT], triples[COUNT][4];
};

struct out {
    double sums[COUNT], products[COUNT], quotients[COUNT], roots[COUNT], others[COUNT], turned[COUNT][4];
};

struct matrices {
    double m[3][4];    /* by columns */
    double rows[3][2]; /* by rows */
};

struct push {
    int32_t before, space;
    double offset;
};

static const double factor = -1.0 / 3;

static void fill(struct in *in, struct matrices *matrices)
{
    uint64_t bits = 1;
    for (int i = 0; i < COUNT; i++) {
        bits = bits * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        in->x[i] = ldexp((double)(int64_t)bits, i * 8 - 180); /* of many sizes and both signs */
        for (int k = 0; k < 3; k++)
            in->triples[i][k] = ldexp((double)(int64_t)(bits << k * 7), -62);
    }
    in->x[0] = 5e-324;
    in->x[1] = -0.0;
    in->x[COUNT - 1] = 1.7e308;
    for (int k = 0; k < 3; k++) {
        for (int r = 0; r < 3; r++)
            matrices->m[k][r] = 1.0 / (1 + k + 3 * r);
        for (int c = 0; c < 2; c++)
            matrices->rows[k][c] = 0.1 * (k + 3 * c);
    }
}

static void check(const char *what, int i, double got, double want)
{
    if (memcmp(&got, &want, sizeof got) && !(isnan(got) && isnan(want)))
        fail_msg("%s[%d]: %a, expected %a", what, i, got, want);
}

static void check_all(const struct in *in, const struct out *out, const struct matrices *matrices, double offset)
{
    for (int i = 0; i < COUNT; i++) {
        volatile double other = in->x[COUNT - 1 - i] * factor;
        check("sums", i, out->sums[i], in->x[i] + other);
        check("products", i, out->products[i], in->x[i] * other);
        check("quotients", i, out->quotients[i], in->x[i] / other);
        check("roots", i, out->roots[i], sqrt(fabs(in->x[i]) + offset));
        check("others", i, out->others[i], other - matrices->rows[i % 3][i % 2]);
        for (int r = 0; r < 3; r++) {
            volatile double terms[3];
            for (int k = 0; k < 3; k++)
                terms[k] = matrices->m[k][r] * in->triples[i][k];
            volatile double sum = terms[0] + terms[1];
            check("turned", i, out->turned[i][r], sum + terms[2]);
        }
    }
}

static void every_storage_class(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    const struct vkt_binding bindings[] = {{STORAGE, COMPUTE, 0}, {STORAGE, COMPUTE, 0}, {UNIFORM, COMPUTE, 0}};
    const VkSpecializationMapEntry entry = {0, 0, sizeof factor};
    const VkSpecializationInfo spec = {1, &entry, sizeof factor, &factor};
    VkDescriptorSetLayout layout = vkt_set_layout_create(t, bindings, 3);
    struct vkt_compute c = vkt_compute_create(t, VKT_SHADER(doubles_comp), &layout, 1, sizeof(struct push), &spec);
    struct vkt_buffer in = vkt_storage_buffer(t, sizeof(struct in) / 4, 0);
    struct vkt_buffer out = vkt_storage_buffer(t, sizeof(struct out) / 4, 0);
    struct matrices matrices = {{{0}}, {{0}}};
    const struct push push = {.offset = 1e-20};
    fill(in.map, &matrices);
    struct vkt_buffer uniform = vkt_buffer_create(t, sizeof matrices, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, &matrices);
    VkDescriptorSet set = vkt_compute_set(t, &c, (const struct vkt_buffer[]){in, out}, 2);
    vkt_set_buffer(t, set, 2, UNIFORM, uniform.buffer, 0, VK_WHOLE_SIZE);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_compute_bind(cmd, &c, &set);
    vkCmdPushConstants(cmd, c.layout, COMPUTE, 0, sizeof push, &push);
    vkCmdDispatch(cmd, 1, 1, 1);
    vkt_end_submit(t, cmd);
    check_all(in.map, out.map, &matrices, push.offset);
    vkt_compute_destroy(t, &c);
    vkt_buffer_destroy(t, &in);
    vkt_buffer_destroy(t, &out);
    vkt_buffer_destroy(t, &uniform);
}

/* ---------------------------------------------------------------- graphics */

#define SIZE 64

/* The colours of the fragment program. */
static void set_pixel(uint32_t x, uint32_t y, uint8_t rgba[4])
{
    const double step = 1.0 / (1 << 30) / 16;
    const volatile double left = ((double)x + 0.5 - 32) * step, up = ((double)y + 0.5 - 32) * step;
    const volatile double c_x = -1.7485836898 + left, c_y = 0.0000000013 + up;
    volatile double z_x = 0, z_y = 0, xx = 0, yy = 0, xy, difference;
    int n = 0;
    for (; n < 60 && xx + yy < 4; n++) {
        xy = 2 * z_x * z_y;
        difference = xx - yy;
        z_x = difference + c_x;
        z_y = xy + c_y;
        xx = z_x * z_x;
        yy = z_y * z_y;
    }
    const volatile double large = z_x * 1e6;
    rgba[0] = (uint8_t)((float)n / 60 * 255 + 0.5f);
    rgba[1] = (uint8_t)((large - floor(large)) * 255 + 0.5);
    rgba[2] = c_x < -1.7485836898 ? 255 : 0;
    rgba[3] = 255;
}

static void places_that_are_close(void **state)
{
    struct vkt_picture expected = vkt_picture_compute(SIZE, SIZE, set_pixel);
    struct vkt_picture got =
        vkt_draw_triangle(vkt_device(VKT_TESTED), VKT_SHADER(doubles_vert), VKT_SHADER(doubles_frag), SIZE);
    vkt_compare("doubles", &expected, &got, (struct vkt_tolerance){1, 0});
    vkt_picture_free(&got);
    vkt_picture_free(&expected);
}

static void feature_says_so(void **state)
{
    VkPhysicalDeviceFeatures has;
    vkGetPhysicalDeviceFeatures(vkt_device(VKT_TESTED)->physical, &has);
    assert_true(has.shaderFloat64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_storage_class, vkt_check_messages),
        cmocka_unit_test_teardown(places_that_are_close, vkt_check_messages),
        cmocka_unit_test_teardown(feature_says_so, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("doubles", tests, NULL, vkt_teardown);
}
