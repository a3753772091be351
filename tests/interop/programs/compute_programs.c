/* SPDX-License-Identifier: MIT
 *
 * Typical compute workloads of applications: a radix sort, a prefix sum, a matrix product, an image of the Mandelbrot
 * set, and particles that compute moves and graphics draws from the same buffer. They are small; the results are
 * compared with the host's.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "vkt.h"
#include "mandelbrot.comp.h"
#include "matrix.comp.h"
#include "particles.comp.h"
#include "particles.frag.h"
#include "particles.vert.h"
#include "radix_count.comp.h"
#include "radix_scatter.comp.h"
#include "scan_add.comp.h"
#include "scan_blocks.comp.h"

#define BLOCK 128 /* keys or values per workgroup */

static uint32_t random_word(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/* ---------------------------------------------------------------- prefix sums */

struct scan {
    struct vkt_compute blocks, add;
};

static struct scan scan_create(struct vkt *t)
{
    return (struct scan){vkt_compute_create_simple(t, VKT_SHADER(scan_blocks_comp), 2, 0, NULL),
                         vkt_compute_create_simple(t, VKT_SHADER(scan_add_comp), 2, 0, NULL)};
}

static void scan_destroy(struct vkt *t, struct scan *s)
{
    vkt_compute_destroy(t, &s->blocks);
    vkt_compute_destroy(t, &s->add);
}

static void dispatch(VkCommandBuffer cmd, const struct vkt_compute *c, VkDescriptorSet set, uint32_t groups)
{
    vkt_compute_bind(cmd, c, &set);
    vkCmdDispatch(cmd, groups, 1, 1);
    vkt_barrier_all(cmd);
}

/* Records exclusive prefix sums of `blocks` times 128 values, in place. `levels` are buffers for the sums of the
 * blocks, for their sums, and so on. */
static void scan_record(struct vkt *t, VkCommandBuffer cmd, const struct scan *s, struct vkt_buffer values,
                        const struct vkt_buffer *levels, uint32_t blocks)
{
    const struct vkt_buffer buffers[] = {values, levels[0]};
    VkDescriptorSet block_set = vkt_compute_set(t, &s->blocks, buffers, 2);
    dispatch(cmd, &s->blocks, block_set, blocks);
    if (blocks == 1)
        return;
    scan_record(t, cmd, s, levels[0], levels + 1, (blocks + BLOCK - 1) / BLOCK);
    dispatch(cmd, &s->add, vkt_compute_set(t, &s->add, buffers, 2), blocks);
}

static void prefix_sum(void **state)
{
    enum { BLOCKS = 160, COUNT = BLOCKS * BLOCK }; /* the blocks' sums need two blocks themselves */
    struct vkt *t = vkt_device(VKT_TESTED);
    struct scan s = scan_create(t);
    struct vkt_buffer values = vkt_storage_buffer(t, COUNT, 0);
    struct vkt_buffer levels[3];
    for (int i = 0; i < 3; i++)
        levels[i] = vkt_storage_buffer(t, 2 * BLOCK, 0);
    uint32_t *words = values.map, *expected = malloc(COUNT * sizeof *expected), seed = 1, sum = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        words[i] = random_word(&seed) % 1000;
        expected[i] = sum;
        sum += words[i];
    }
    VkCommandBuffer cmd = vkt_begin(t);
    scan_record(t, cmd, &s, values, levels, BLOCKS);
    vkt_end_submit(t, cmd);
    assert_memory_equal(words, expected, COUNT * sizeof *expected);
    free(expected);
    vkt_buffer_destroy(t, &values);
    for (int i = 0; i < 3; i++)
        vkt_buffer_destroy(t, &levels[i]);
    scan_destroy(t, &s);
}

/* ---------------------------------------------------------------- radix sort */

static int by_value(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void radix_sort(void **state)
{
    enum { BLOCKS = 32, COUNT = BLOCKS * BLOCK };
    struct vkt *t = vkt_device(VKT_TESTED);
    struct scan s = scan_create(t);
    struct vkt_compute count = vkt_compute_create_simple(t, VKT_SHADER(radix_count_comp), 2, 4, NULL);
    struct vkt_compute scatter = vkt_compute_create_simple(t, VKT_SHADER(radix_scatter_comp), 3, 4, NULL);
    struct vkt_buffer keys[2] = {vkt_storage_buffer(t, COUNT, 0), vkt_storage_buffer(t, COUNT, 0)};
    struct vkt_buffer counts = vkt_storage_buffer(t, 16 * BLOCKS, 0);
    struct vkt_buffer levels[3];
    for (int i = 0; i < 3; i++)
        levels[i] = vkt_storage_buffer(t, BLOCK, 0);
    uint32_t expected[COUNT], seed = 7;
    for (uint32_t i = 0; i < COUNT; i++)
        expected[i] = random_word(&seed);
    memcpy(keys[0].map, expected, sizeof expected);
    qsort(expected, COUNT, sizeof *expected, by_value);

    VkCommandBuffer cmd = vkt_begin(t);
    for (uint32_t shift = 0; shift < 32; shift += 4) {
        const uint32_t from = shift / 4 % 2;
        const struct vkt_buffer counted[] = {keys[from], counts}, moved[] = {keys[from], counts, keys[!from]};
        vkCmdPushConstants(cmd, count.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4, &shift);
        dispatch(cmd, &count, vkt_compute_set(t, &count, counted, 2), BLOCKS);
        scan_record(t, cmd, &s, counts, levels, 16 * BLOCKS / BLOCK);
        vkCmdPushConstants(cmd, scatter.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4, &shift);
        dispatch(cmd, &scatter, vkt_compute_set(t, &scatter, moved, 3), BLOCKS);
    }
    vkt_end_submit(t, cmd);
    assert_memory_equal(keys[0].map, expected, sizeof expected);
    for (int i = 0; i < 2; i++)
        vkt_buffer_destroy(t, &keys[i]);
    for (int i = 0; i < 3; i++)
        vkt_buffer_destroy(t, &levels[i]);
    vkt_buffer_destroy(t, &counts);
    vkt_compute_destroy(t, &count);
    vkt_compute_destroy(t, &scatter);
    scan_destroy(t, &s);
}

/* ---------------------------------------------------------------- matrices */

static void matrix_multiply(void **state)
{
    enum { N = 48 };
    struct vkt *t = vkt_device(VKT_TESTED);
    struct vkt_compute multiply = vkt_compute_create_simple(t, VKT_SHADER(matrix_comp), 3, 4, NULL);
    struct vkt_buffer m[3];
    for (int i = 0; i < 3; i++)
        m[i] = vkt_storage_buffer(t, N * N, 0);
    float *a = m[0].map, *b = m[1].map, *c = m[2].map;
    uint32_t seed = 3;
    for (uint32_t i = 0; i < N * N; i++) {
        a[i] = (float)(random_word(&seed) % 2001) / 1000 - 1;
        b[i] = (float)(random_word(&seed) % 2001) / 1000 - 1;
    }
    VkDescriptorSet set = vkt_compute_set(t, &multiply, m, 3);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_compute_bind(cmd, &multiply, &set);
    vkCmdPushConstants(cmd, multiply.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4, &(uint32_t){N});
    vkCmdDispatch(cmd, N / 8, N / 8, 1);
    vkt_barrier_all(cmd);
    vkt_end_submit(t, cmd);
    for (uint32_t y = 0; y < N; y++)
        for (uint32_t x = 0; x < N; x++) {
            double sum = 0;
            for (uint32_t k = 0; k < N; k++)
                sum += (double)a[y * N + k] * (double)b[k * N + x];
            assert_true(fabs(sum - (double)c[y * N + x]) < 1e-4);
        }
    for (int i = 0; i < 3; i++)
        vkt_buffer_destroy(t, &m[i]);
    vkt_compute_destroy(t, &multiply);
}

/* ---------------------------------------------------------------- an image */

#define PICTURE_W 96
#define PICTURE_H 64

static void mandelbrot_pixel(uint32_t x, uint32_t y, uint8_t rgba[4])
{
    const float cx = ((float)x + 0.5f) / PICTURE_W * 3.0f - 2.2f, cy = ((float)y + 0.5f) / PICTURE_H * 2.4f - 1.2f;
    float zx = 0, zy = 0;
    int steps = 0;
    for (; steps < 64 && zx * zx + zy * zy < 4; steps++) {
        float next = zx * zx - zy * zy + cx;
        zy = 2 * zx * zy + cy;
        zx = next;
    }
    rgba[0] = (uint8_t)((float)steps / 64 * 255 + 0.5f);
    rgba[1] = steps == 64 ? 0 : 255;
    rgba[2] = 128;
    rgba[3] = 255;
}

/* The tolerance is needed because rounding decides in which step points near the border escape. */
static void mandelbrot_picture(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    const struct vkt_binding binding = {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, VK_SHADER_STAGE_COMPUTE_BIT, 0};
    VkDescriptorSetLayout layout = vkt_set_layout_create(t, &binding, 1);
    struct vkt_compute draw = vkt_compute_create(t, VKT_SHADER(mandelbrot_comp), &layout, 1, 0, NULL);
    struct vkt_image image =
        vkt_image_create(t, &(struct vkt_image_info){.format = VK_FORMAT_R8G8B8A8_UNORM,
                                                     .width = PICTURE_W,
                                                     .height = PICTURE_H,
                                                     .usage = VK_IMAGE_USAGE_STORAGE_BIT |
                                                              VK_IMAGE_USAGE_TRANSFER_SRC_BIT});
    VkDescriptorSet set = vkt_set_alloc(t, layout);
    vkt_set_image(t, set, 0, 0, image.view);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_image_barrier(cmd, &image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    vkt_compute_bind(cmd, &draw, &set);
    vkCmdDispatch(cmd, PICTURE_W / 8, PICTURE_H / 8, 1);
    vkt_image_barrier(cmd, &image, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkt_end_submit(t, cmd);
    struct vkt_picture expected = vkt_picture_compute(PICTURE_W, PICTURE_H, mandelbrot_pixel);
    struct vkt_picture got = {PICTURE_W, PICTURE_H, malloc(PICTURE_W * PICTURE_H * 4)};
    vkt_read_image(t, &image, 0, 0, got.rgba, PICTURE_W * PICTURE_H * 4);
    vkt_compare("mandelbrot", &expected, &got, (struct vkt_tolerance){1, 30});
    vkt_picture_free(&expected);
    vkt_picture_free(&got);
    vkt_image_destroy(t, &image);
    vkt_compute_destroy(t, &draw);
}

/* ---------------------------------------------------------------- particles */

#define PARTICLES 256
#define SIZE_PX   64

struct particle {
    float at[2], speed[2];
};

static void move(struct particle *p)
{
    p->speed[1] += 0.01f;
    for (int i = 0; i < 2; i++) {
        p->at[i] += p->speed[i];
        if (fabsf(p->at[i]) > 0.9f)
            p->speed[i] = copysignf(fabsf(p->speed[i]), -p->at[i]);
    }
}

static void draw_particles(struct vkt *t, VkCommandBuffer cmd, const struct vkt_target *target,
                           const struct vkt_pipeline *p, const struct vkt_buffer *buffer)
{
    vkt_begin_pass(cmd, target, (float[]){0, 0, 0, 0}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p->pipeline);
    vkCmdBindVertexBuffers(cmd, 0, 1, &buffer->buffer, &(VkDeviceSize){0});
    vkCmdDraw(cmd, PARTICLES, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
}

/* Checks that a particle is drawn, unless it is near the edge of a pixel. */
static void check_drawn(const struct vkt_picture *got, const struct particle *p)
{
    float x = (p->at[0] + 1) * SIZE_PX / 2, y = (p->at[1] + 1) * SIZE_PX / 2;
    float dx = x - floorf(x), dy = y - floorf(y);
    if (dx > 0.1f && dx < 0.9f && dy > 0.1f && dy < 0.9f)
        assert_int_equal(got->rgba[4 * ((uint32_t)y * SIZE_PX + (uint32_t)x)], 255);
}

static void particles_move_and_are_drawn(void **state)
{
    enum { STEPS = 24 };
    struct vkt *t = vkt_device(VKT_TESTED);
    struct vkt_compute step = vkt_compute_create_simple(t, VKT_SHADER(particles_comp), 1, 0, NULL);
    struct vkt_buffer buffer =
        vkt_storage_buffer(t, PARTICLES * sizeof(struct particle) / 4, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
    struct particle expected[PARTICLES], *particles = buffer.map;
    uint32_t seed = 11;
    for (uint32_t i = 0; i < PARTICLES; i++)
        for (int k = 0; k < 2; k++) {
            expected[i].at[k] = (float)(random_word(&seed) % 1601) / 1000 - 0.8f;
            expected[i].speed[k] = (float)(random_word(&seed) % 101) / 1000 - 0.05f;
        }
    memcpy(particles, expected, sizeof expected);
    struct vkt_target target = vkt_target_create(t, SIZE_PX, SIZE_PX, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline p = vkt_pipeline_create(
        t, &(struct vkt_pipeline_info){
               .vs = VKT_SHADER(particles_vert),
               .fs = VKT_SHADER(particles_frag),
               .pass = target.pass,
               .topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST,
               .bindings = &(VkVertexInputBindingDescription){0, sizeof(struct particle), VK_VERTEX_INPUT_RATE_VERTEX},
               .binding_count = 1,
               .attributes = &(VkVertexInputAttributeDescription){0, 0, VK_FORMAT_R32G32_SFLOAT, 0},
               .attribute_count = 1,
               .width = SIZE_PX,
               .height = SIZE_PX,
           });
    VkDescriptorSet set = vkt_compute_set(t, &step, &buffer, 1);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_compute_bind(cmd, &step, &set);
    for (uint32_t i = 0; i < STEPS; i++) {
        vkCmdDispatch(cmd, PARTICLES / 64, 1, 1);
        vkt_barrier_all(cmd);
    }
    draw_particles(t, cmd, &target, &p, &buffer);
    vkt_end_submit(t, cmd);

    struct vkt_picture got = vkt_read_target(t, &target);
    uint32_t apart = 0;
    for (uint32_t i = 0; i < PARTICLES; i++) {
        for (uint32_t k = 0; k < STEPS; k++)
            move(&expected[i]);
        bool same = fabsf(expected[i].at[0] - particles[i].at[0]) < 1e-3f &&
                    fabsf(expected[i].at[1] - particles[i].at[1]) < 1e-3f;
        apart += !same; /* a bounce may come a step earlier or later */
        check_drawn(&got, &particles[i]);
    }
    assert_in_range(apart, 0, 3);
    vkt_picture_free(&got);
    vkt_pipeline_destroy(t, &p);
    vkt_target_destroy(t, &target);
    vkt_buffer_destroy(t, &buffer);
    vkt_compute_destroy(t, &step);
}

#define TEST(f) cmocka_unit_test_teardown(f, vkt_check_messages)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(prefix_sum),         TEST(radix_sort),
        TEST(matrix_multiply),    TEST(mandelbrot_picture),
        TEST(particles_move_and_are_drawn),
    };
    return cmocka_run_group_tests_name("compute programs", tests, NULL, vkt_teardown);
}
