/* SPDX-License-Identifier: MIT
 *
 * Tests the texture configuration words and uniforms of a job: each rule is obeyed and broken. Also checks the
 * relocated shader record and uniforms in the chip's memory.
 */
#include <string.h>
#include "hw/tex.h"
#include "krn_test.h"

#define KEEPS    KRN_RULE_COUNT
#define TEX_BO_B (32u * 4096)
#define END      "\nnop ; end\nnop\nnop"

struct tex_case {
    const char *name;
    enum krn_rule rule;
    struct cl_tex_p0 p0;
    struct cl_tex_p1 p1;
    uint32_t p2, p3;
    uint32_t bo; /* 0 means BO_TEXTURE */
};

#define CUBE(stride) (1u << 30 | (stride))

static const struct tex_case cases[] = {
    /* 128 x 128 texels of 4 B are 64 KiB; the buffer holds two of them. */
    {"fits", KEEPS, {.base = 65536}, {.width = 128, .height = 128}},
    {"too_far", KRN_RULE_TEX_SIZE, {.base = 65536 + 4096}, {.width = 128, .height = 128}},
    {"far_away", KRN_RULE_TEX_SIZE, {.base = 0xfffff000}, {.width = 128, .height = 128}},
    {"too_large", KRN_RULE_TEX_SIZE, {0}, {.width = 0, .height = 128}},
    {"padded_fits", KEEPS, {0}, {.width = 97, .height = 225}},
    {"padding_counts", KRN_RULE_TEX_SIZE, {0}, {.width = 129, .height = 225}},
    {"lt_fits", KEEPS, {.base = TEX_BO_B - 4096}, {.width = 16, .height = 64}},
    {"lt_too_far", KRN_RULE_TEX_SIZE, {.base = TEX_BO_B - 4096}, {.width = 16, .height = 65}},

    {"levels_fit", KEEPS, {.base = 24576, .levels_minus_1 = 7}, {.width = 128, .height = 128}},
    {"levels_before_start", KRN_RULE_TEX_LEVELS, {.base = 16384, .levels_minus_1 = 7}, {.width = 128, .height = 128}},
    {"levels_at_0", KRN_RULE_TEX_LEVELS, {.levels_minus_1 = 1}, {.width = 64, .height = 64}},

    {"cube", KEEPS, {.cube = true}, {.width = 32, .height = 32}, CUBE(4096)},
    {"cube_in_p3", KEEPS, {.cube = true}, {.width = 32, .height = 32}, 0, CUBE(4096)},
    {"cube_twice", KRN_RULE_TEX_CUBE, {.cube = true}, {.width = 32, .height = 32}, CUBE(4096), CUBE(4096)},
    {"cube_without", KRN_RULE_TEX_CUBE, {.cube = true}, {.width = 32, .height = 32}},
    {"cube_too_large", KRN_RULE_TEX_SIZE, {.cube = true}, {.width = 32, .height = 32}, CUBE(28672)},
    {"cube_wraps", KRN_RULE_TEX_SIZE, {.cube = true}, {.width = 32, .height = 32}, CUBE(0x33334000)},
    {"lod_word", KEEPS, {0}, {.width = 32, .height = 32}, 1u << 30 | 1},

    {"type_rgba64", KRN_RULE_TEX_TYPE, {.type_low = HW_TEX_RGBA64}, {.width = 16, .height = 16}},
    {"type_bw1", KRN_RULE_TEX_TYPE, {.type_low = HW_TEX_BW1}, {.width = 16, .height = 16}},
    {"type_a4", KRN_RULE_TEX_TYPE, {.type_low = HW_TEX_A4}, {.width = 16, .height = 16}},
    {"type_a1", KRN_RULE_TEX_TYPE, {.type_low = HW_TEX_A1}, {.width = 16, .height = 16}},
    {"type_yuyv", KRN_RULE_TEX_TYPE, {.type_low = 1}, {.width = 16, .height = 16, .type_high = 1}},
    {"type_raster", KEEPS, {0}, {.width = 128, .height = 256, .type_high = 1}},
    {"type_raster_too_large", KRN_RULE_TEX_SIZE, {0}, {.width = 128, .height = 257, .type_high = 1}},
    {"type_8_bit", KEEPS, {.type_low = HW_TEX_LUMINANCE}, {.width = 512, .height = 256}},
    {"type_16_bit", KEEPS, {.type_low = HW_TEX_RGB565}, {.width = 256, .height = 256}},
    {"type_16_bit_too_large", KRN_RULE_TEX_SIZE, {.type_low = HW_TEX_RGB565}, {.width = 512, .height = 256}},
    /* 512 x 512 texels are 128 x 128 blocks of 8 B: all of the buffer. */
    {"etc1", KEEPS, {.type_low = HW_TEX_ETC1}, {.width = 512, .height = 512}},
    {"etc1_too_large", KRN_RULE_TEX_SIZE, {.type_low = HW_TEX_ETC1}, {.width = 512, .height = 513}},
    {"etc1_lt", KEEPS, {.base = TEX_BO_B - 4096, .type_low = HW_TEX_ETC1}, {.width = 29, .height = 253}},
    {"etc1_lt_too_far",
     KRN_RULE_TEX_SIZE,
     {.base = TEX_BO_B - 4096, .type_low = HW_TEX_ETC1},
     {.width = 32, .height = 257}},
    {"child_words", KEEPS, {0}, {.width = 16, .height = 16}, 2u << 30, 3u << 30},

    {"bo_is_shader", KRN_RULE_BO_KIND, {0}, {.width = 16, .height = 16}, 0, 0, BO_VS},
    {"bo_out_of_range", KRN_RULE_BO_INDEX, {0}, {.width = 16, .height = 16}, 0, 0, BO_COUNT},
};

static void run_case(void **state)
{
    const struct tex_case *c = *state;
    struct test_job job;
    job_init(&job);
    /* Four parameters in the order of the words. */
    job_set_program(&job, BO_FS, "mov tmu0_r, r0\nmov tmu0_b, r0\nmov tmu0_t, r0\nmov tmu0_s, r0" END);
    job.uniforms[0] = c->bo ? c->bo : BO_TEXTURE;
    cl_tex_p0_pack((uint8_t *)&job.uniforms[1], &c->p0);
    cl_tex_p1_pack((uint8_t *)&job.uniforms[2], &c->p1);
    job.uniforms[3] = c->p2;
    job.uniforms[4] = c->p3;
    job.uniform_words = 5;
    int err = job_submit(&job);
    if (c->rule == KEEPS)
        assert_accepted(err);
    else
        assert_refused(err, c->rule);
    job_finish(&job);
}

static int submit_direct(uint32_t offset_B, uint32_t clamp_B)
{
    struct test_job job;
    job_init(&job);
    job_set_program(&job, BO_CS, "max r0, r0, 0\nmin r1, r0, unif\nadd tmu0_s, r1, unif" END);
    job.uniforms[0] = BO_TEXTURE;
    job.uniforms[1] = clamp_B;
    job.uniforms[2] = offset_B;
    job.uniform_words = 3;
    int err = job_submit(&job);
    job_finish(&job);
    return err;
}

static void direct_lookups_stay_inside(void **state)
{
    assert_accepted(submit_direct(0, TEX_BO_B - 4));
    assert_accepted(submit_direct(TEX_BO_B - 4, 0));
    assert_refused(submit_direct(4, TEX_BO_B - 4), KRN_RULE_TEX_DIRECT);
    assert_refused(submit_direct(TEX_BO_B - 3, 0), KRN_RULE_TEX_DIRECT);
    assert_refused(submit_direct(0, 0xffffffff), KRN_RULE_TEX_DIRECT);
    assert_refused(submit_direct(0xfffffffc, 0), KRN_RULE_TEX_DIRECT);
}

/* Each stage's uniforms are checked against what the stages before it have left. */
static void uniforms_must_suffice(void **state)
{
    struct test_job job;
    job_init(&job);
    for (int i = BO_FS; i <= BO_CS; i++)
        job_set_program(&job, i, "mov r0, unif\nmov r0, unif" END);
    job.uniform_words = 6;
    assert_accepted(job_submit(&job));
    job.uniform_words = 5;
    assert_refused(job_submit(&job), KRN_RULE_UNIFORMS_SIZE);
    job.uniform_words = 0;
    assert_refused(job_submit(&job), KRN_RULE_UNIFORMS_SIZE);
    job_finish(&job);
}

static uint32_t word_at(uint32_t addr)
{
    uint32_t word;
    assert_in_range(addr, chip.copy_addr, chip.copy_addr + chip.copy_B - 4);
    memcpy(&word, chip.copied + (addr - chip.copy_addr), 4);
    return word;
}

/* In the record that the chip reads, addresses are filled in, uniforms have no handles, and texture and address words
 * are relocated. */
static void records_are_relocated(void **state)
{
    struct test_job job;
    job_init(&job);
    job_set_program(&job, BO_FS,
                    "mov r2, unif\nmov tmu0_t, r0\nmov tmu0_s, r0\nldi r1, 16\nadd unif_addr, r1, unif\nnop\nnop\n"
                    "mov r2, unif" END);
    job_set_program(&job, BO_VS, "mov r2, unif" END);
    const uint32_t uniforms[] = {BO_TEXTURE, 0x11, 4096, 32u << 8 | 32u << 20, 0, 0x22, 0x33};
    memcpy(job.uniforms, uniforms, sizeof uniforms);
    job.uniform_words = ARRAY_SIZE(uniforms);
    job.attribute[0].address = 32;
    assert_accepted(job_submit(&job));

    struct cl_gl_shader_record record;
    cl_gl_shader_record_unpack(chip.copied, &record);
    struct cl_attribute_record attribute;
    cl_attribute_record_unpack(chip.copied + CL_GL_SHADER_RECORD_SIZE_B, &attribute);
    assert_int_equal(chip.copy_addr % 16, 0);
    assert_int_equal(record.fs_code % 4096, 0);
    assert_memory_equal(chip.mem->base + attribute.address - 32, model_bo_map(job.file, job.handles[BO_VERTICES], NULL),
                        64);
    assert_ptr_equal(chip.mem->base + attribute.address - 32, model_bo_map(job.file, job.handles[BO_VERTICES], NULL));
    uint32_t fs = record.fs_uniforms_address;
    assert_int_equal(word_at(fs), 0x11);
    assert_ptr_equal(chip.mem->base + word_at(fs + 4) - 4096, model_bo_map(job.file, job.handles[BO_TEXTURE], NULL));
    assert_int_equal(word_at(fs + 8), 32u << 8 | 32u << 20);
    assert_int_equal(word_at(fs + 12), fs);
    assert_int_equal(word_at(fs + 16), 0x22);
    assert_int_equal(record.vs_uniforms_address, fs + 20);
    assert_int_equal(word_at(fs + 20), 0x33);
    assert_int_equal(record.cs_uniforms_address, fs + 24);
    job_finish(&job);
}

int main(void)
{
    static const struct CMUnitTest others[] = {
        cmocka_unit_test(direct_lookups_stay_inside),
        cmocka_unit_test(uniforms_must_suffice),
        cmocka_unit_test(records_are_relocated),
    };
    struct CMUnitTest tests[ARRAY_SIZE(cases) + ARRAY_SIZE(others)];
    size_t n = 0;
    for (; n < ARRAY_SIZE(cases); n++)
        tests[n] = (struct CMUnitTest){cases[n].name, run_case, NULL, NULL, (void *)(uintptr_t)&cases[n]};
    memcpy(tests + n, others, sizeof others);
    return _cmocka_run_group_tests("texture_rules", tests, ARRAY_SIZE(tests), NULL, NULL);
}
