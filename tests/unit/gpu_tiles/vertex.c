/* SPDX-License-Identifier: MIT
 *
 * model/gpu/gpu_vertex.h: attribute fetch into VPM columns, shader records.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "model/gpu/gpu_alu.h"
#include "model/gpu/gpu_vertex.h"
#include "scene.h"
#include "util/thread.h"

/* The scene's coordinate program copies seven VPM rows from its input to its output, so the output is the fetched
 * data. */
struct bench {
    struct scene *s;
    struct gpu_vertex_pipe pipe;
    struct gpu_shader shader;
    struct gpu_fp_mode mode;
};

static int setup(void **state)
{
    struct bench *b = calloc(1, sizeof *b);
    struct cl_gl_shader_state shader_state = {.attribute_count = 2, .address = SCENE_RECORD};
    const char *message;
    b->s = scene_create(64, 64, 1);
    b->pipe.mem = &b->s->mem;
    assert_int_equal(gpu_qpu_core_create(&b->s->mem, &b->pipe.core), 0);
    assert_true(gpu_shader_read(&b->s->mem, &shader_state, &b->shader, &message));
    for (uint32_t i = 0; i < 4096; i++) {
        uint32_t word = 0x1000 + i;
        memcpy(b->s->mem.base + SCENE_VERTICES + 4 * i, &word, 4);
    }
    b->mode = gpu_fp_enter();
    *state = b;
    return 0;
}

static int teardown(void **state)
{
    struct bench *b = *state;
    gpu_fp_leave(b->mode);
    gpu_qpu_core_destroy(b->pipe.core);
    scene_destroy(b->s);
    free(b);
    return 0;
}

/* Sets attribute n: fetches `size_B` bytes from word `first` of the vertex data to byte `vpm_B` of the column. */
static void attribute(struct bench *b, unsigned n, uint32_t first, uint32_t size_B, uint32_t stride_B, uint32_t vpm_B)
{
    b->shader.attributes[n] = (struct cl_attribute_record){
        .address = SCENE_VERTICES + 4 * first, .size_minus_1_B = size_B - 1, .stride_B = stride_B, .cs_vpm_B = vpm_B};
    b->shader.attribute_count = n + 1;
    b->shader.rec.cs_attributes |= BIT(n);
}

static void run(struct bench *b, const uint16_t *indices, unsigned count)
{
    const char *message = NULL;
    if (gpu_vertex_run(&b->pipe, &b->shader, GPU_STAGE_COORDINATE, indices, count, &message) != GPU_OK)
        fail_msg("%s", message);
}

static void each_vertex_has_a_column(void **state)
{
    struct bench *b = *state;
    b->shader.rec.cs_attributes = 0;
    b->shader.rec.cs_size_B = 28;
    attribute(b, 0, 0, 12, 12, 0);
    attribute(b, 1, 1000, 8, 0, 12);    /* stride 0: the same for all vertices */
    attribute(b, 2, 2000, 8, 1024, 20); /* a stride that needs an extended record */
    const uint16_t indices[3] = {5, 0, 2};
    run(b, indices, 3);
    for (unsigned lane = 0; lane < 3; lane++) {
        for (unsigned row = 0; row < 3; row++)
            assert_int_equal(b->pipe.out[row][lane], 0x1000 + indices[lane] * 3 + row);
        for (unsigned row = 0; row < 2; row++) {
            assert_int_equal(b->pipe.out[3 + row][lane], 0x1000 + 1000 + row);
            assert_int_equal(b->pipe.out[5 + row][lane], 0x1000 + 2000 + indices[lane] * 256 + row);
        }
    }
    /* Lanes without a vertex hold a pattern, the same in every row. */
    assert_int_equal(b->pipe.out[0][3], b->pipe.out[6][15]);
}

static void later_attributes_win_and_the_surplus_is_dropped(void **state)
{
    struct bench *b = *state;
    const uint16_t index = 0;
    b->shader.rec.cs_attributes = 0;
    b->shader.rec.cs_size_B = 20; /* five rows */
    attribute(b, 0, 0, 16, 16, 0);
    attribute(b, 1, 100, 16, 16, 8);
    run(b, &index, 1);
    static const uint32_t want[5] = {0x1000, 0x1001, 0x1000 + 100, 0x1000 + 101, 0x1000 + 102};
    for (unsigned row = 0; row < 5; row++)
        assert_int_equal(b->pipe.out[row][0], want[row]);
    assert_int_equal(b->pipe.out[5][0], b->pipe.out[5][15]); /* not the attribute's fourth word */

    /* An attribute that is not selected is not fetched. */
    b->shader.rec.cs_attributes = 1;
    run(b, &index, 1);
    assert_int_equal(b->pipe.out[2][0], 0x1002);
}

static void odd_sizes_are_padded_with_zeros(void **state)
{
    struct bench *b = *state;
    const uint16_t index = 1;
    b->shader.rec.cs_attributes = 0;
    b->shader.rec.cs_size_B = 8;
    attribute(b, 0, 0, 5, 4, 0);
    run(b, &index, 1);
    assert_int_equal(b->pipe.out[0][0], 0x1001);
    assert_int_equal(b->pipe.out[1][0], 0x02);
}

static void unmapped_attributes_read_zero(void **state)
{
    struct bench *b = *state;
    const uint16_t index = 0xffff;
    b->shader.rec.cs_attributes = 0;
    b->shader.rec.cs_size_B = 4;
    attribute(b, 0, 0, 4, 0xffff00, 0);
    run(b, &index, 1);
    assert_int_equal(b->pipe.out[0][0], 0);
}

static void records_have_two_forms(void **state)
{
    struct bench *b = *state;
    struct gpu_shader shader;
    const char *message = NULL;
    struct cl_gl_shader_state s = {.attribute_count = 2, .extended = true, .address = SCENE_RECORD};
    uint32_t strides[2] = {0x12300, 0x45600};
    memcpy(b->s->mem.base + SCENE_RECORD + 100, strides, sizeof strides);
    assert_true(gpu_shader_read(&b->s->mem, &s, &shader, &message));
    assert_int_equal(shader.attributes[0].stride_B, 0x12300 | sizeof(struct scene_vertex));
    assert_int_equal(shader.attributes[1].stride_B, 0x45600 | sizeof(struct scene_vertex));
    assert_int_equal(gpu_shader_output_words(&shader, GPU_STAGE_VERTEX), 4);
    assert_int_equal(gpu_shader_output_words(&shader, GPU_STAGE_COORDINATE), 7);

    s = (struct cl_gl_shader_state){.attribute_count = 0, .address = SCENE_RECORD};
    assert_true(gpu_shader_read(&b->s->mem, &s, &shader, &message));
    assert_int_equal(shader.attribute_count, 8);
    assert_int_equal(shader.attributes[0].stride_B, sizeof(struct scene_vertex));

    s.address = SCENE_MEMORY_B - 64; /* its end is not mapped */
    assert_false(gpu_shader_read(&b->s->mem, &s, &shader, &message));
    assert_non_null(message);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_vertex_has_a_column, setup, teardown),
        cmocka_unit_test_setup_teardown(later_attributes_win_and_the_surplus_is_dropped, setup, teardown),
        cmocka_unit_test_setup_teardown(odd_sizes_are_padded_with_zeros, setup, teardown),
        cmocka_unit_test_setup_teardown(unmapped_attributes_read_zero, setup, teardown),
        cmocka_unit_test_setup_teardown(records_have_two_forms, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
