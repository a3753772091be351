/* SPDX-License-Identifier: MIT
 *
 * Tests CREATE_SHADER_BO: for each rule of the program validator there are programs that obey it and programs that
 * break only this rule.
 */
#include <stdlib.h>
#include <string.h>
#include "krn_test.h"
#include "model/kernel/krn_shader.h"

#define END   "\nnop ; end\nnop\nnop"
#define KEEPS KRN_RULE_COUNT

struct program {
    const char *name;
    enum krn_rule rule;
    const char *text;
};

#define OK(name, text)                                                                                                 \
    {                                                                                                                  \
        name, KEEPS, text                                                                                              \
    }
#define BAD(name, rule, text)                                                                                          \
    {                                                                                                                  \
        name, KRN_RULE_##rule, text                                                                                    \
    }

/* r1 = min(max(r0, 0), uniform): the clamp that a direct lookup needs. */
#define CLAMP_R1 "max r0, r0, 0\nmin r1, r0, unif\n"

/* Most branches are followed by three delay slots and two more instructions, so that a target of pc + 8 lies before the
 * program end. */
static const struct program programs[] = {
    OK("idle", IDLE_PROGRAM),

    /* rule 1 */
    BAD("no_end", CODE_END, "nop\nnop\nnop"),
    OK("end_in_delay_slot", "nop ; end\nnop ; end\nnop\nnop"),

    /* rule 2 */
    BAD("breakpoint", CODE_SIGNAL, "nop ; breakpoint" END),
    BAD("coverage_load", CODE_SIGNAL, "nop ; load_coverage" END),
    BAD("color_load_end", CODE_SIGNAL, "nop ; load_color_end" END),
    BAD("alpha_load", CODE_SIGNAL, "nop ; load_alpha" END),
    OK("color_load", "nop ; load_color" END),
    OK("scoreboard", "nop ; wait_sb\nnop ; unlock_sb" END),
    OK("semaphore", "sem nop, 3" END),

    /* rule 3 */
    OK("branch", "nop\nnop\nbr.always pc + 8\nnop\nnop\nnop\nnop\nnop" END),
    BAD("branch_first", CODE_BRANCH, "br.always pc + 8\nnop\nnop\nnop\nnop\nnop" END),
    BAD("branch_second", CODE_BRANCH, "nop\nbr.always pc + 8\nnop\nnop\nnop\nnop\nnop" END),
    BAD("branch_in_delay_slots", CODE_BRANCH,
        "nop\nnop\nbr.always pc + 8\nnop\nnop\nbr.always pc + 8\nnop\nnop\nnop\nnop" END),
    OK("branch_after_delay_slots",
       "nop\nnop\nbr.always pc + 8\nnop\nnop\nnop\nbr.always pc + 8\nnop\nnop\nnop\nnop\nnop" END),
    BAD("branch_register", CODE_BRANCH, "nop\nnop\nbr.always pc + ra1 + 8\nnop\nnop\nnop\nnop\nnop" END),
    BAD("branch_absolute", CODE_BRANCH, "nop\nnop\nbr.always 8\nnop\nnop\nnop\nnop\nnop" END),
    BAD("branch_unaligned", CODE_BRANCH, "nop\nnop\nbr.always pc + 4\nnop\nnop\nnop\nnop\nnop" END),
    BAD("branch_before_start", CODE_BRANCH, "nop\nnop\nbr.always pc + -56\nnop\nnop\nnop\nnop\nnop" END),
    OK("branch_to_start", "nop\nnop\nbr.always pc + -48\nnop\nnop\nnop\nnop\nnop" END),
    BAD("branch_past_bo", CODE_BRANCH, "nop\nnop\nbr.always pc + 8192\nnop\nnop\nnop\nnop\nnop" END),
    OK("falls_on_end", "nop\nnop\nbr.always pc + -8\nnop\nnop\nnop" END),
    BAD("falls_behind_end", CODE_BRANCH, "nop\nnop\nbr.always pc + -16\nnop\nnop" END),

    /* rule 4 */
    BAD("branch_writes", CODE_BRANCH_WRITES, "nop\nnop\nbr.always pc + 8 ; link ra1, nop\nnop\nnop\nnop\nnop\nnop" END),

    /* rule 5 */
    BAD("write_noswap", CODE_WRITE, "mov tmu_noswap, r0" END),
    BAD("write_host_int", CODE_WRITE, "mov host_int, r0" END),
    BAD("write_alpha_mask", CODE_WRITE, "mov tlb_alpha, r0" END),
    BAD("write_mutex", CODE_WRITE, "mov mutex_release, r0" END),
    BAD("vpm_dma_load", CODE_WRITE, "mov vpm_ld_addr, r0" END),
    BAD("vpm_dma_store", CODE_WRITE, "mov vpm_st_addr, r0" END),
    BAD("vpm_dma_store_by_mul", CODE_WRITE, "nop ; mov vpm_st_addr, r0" END),
    BAD("vpm_dma_store_by_ldi", CODE_WRITE, "ldi vpm_st_addr, 0" END),
    OK("vpm_write", "ldi vpm_wr_setup, 0x1a00\nmov vpm, r0" END),
    OK("tlb_writes", "mov tlb_z, r0\nmov tlb_c, r0" END),
    OK("mutex_read", "mov r0, mutex" END),

    /* rule 8: the immediate is the offset after the reset's own uniform: 8, because one was read before */
    OK("reset", "mov r0, unif\nldi r1, 8\nadd unif_addr, r1, unif\nnop\nnop\nmov r0, unif" END),
    BAD("reset_wrong_value", CODE_UNIFORM_RESET, "mov r0, unif\nldi r1, 12\nadd unif_addr, r1, unif" END),
    BAD("reset_no_immediate", CODE_UNIFORM_RESET, "mov r0, unif\nmov r1, r0\nadd unif_addr, r1, unif" END),
    BAD("reset_conditional_immediate", CODE_UNIFORM_RESET, "ldi.ifz r1, 4\nadd unif_addr, r1, unif" END),
    BAD("reset_overwritten", CODE_UNIFORM_RESET, "ldi r1, 4\nmov r1, r0\nadd unif_addr, r1, unif" END),
    BAD("reset_swapped", CODE_UNIFORM_RESET, "ldi r1, 4\nadd unif_addr, unif, r1" END),
    BAD("reset_subtracts", CODE_UNIFORM_RESET, "ldi r1, 4\nsub unif_addr, r1, unif" END),
    BAD("reset_conditional", CODE_UNIFORM_RESET, "ldi r1, 4\nadd.ifz unif_addr, r1, unif" END),
    BAD("reset_relative", CODE_UNIFORM_RESET, "ldi r1, 4\nadd unif_addr_rel, r1, unif" END),
    BAD("reset_by_mul", CODE_UNIFORM_RESET, "nop ; mov unif_addr, r0" END),
    BAD("reset_with_signal", CODE_UNIFORM_RESET, "ldi r1, 4\nadd unif_addr, r1, unif ; wait_sb" END),
    OK("reset_with_tmu_load", "ldi r1, 4\nadd unif_addr, r1, unif ; load_tmu0" END),
    OK("target_resets",
       "nop\nnop\nbr.always pc + 0\nnop\nnop\nnop\nldi r1, 4\nadd unif_addr, r1, unif\nnop\nnop\nmov r0, unif" END),
    BAD("target_reads", CODE_UNIFORM_UNSET, "nop\nnop\nbr.always pc + 0\nnop\nnop\nnop\nmov r0, unif" END),
    BAD("target_textures", CODE_UNIFORM_UNSET,
        "nop\nnop\nbr.always pc + 0\nnop\nnop\nnop\nmov tmu0_t, r0\nmov tmu0_s, r0" END),
    BAD("immediate_dies_at_target", CODE_UNIFORM_RESET,
        "nop\nldi r1, 4\nbr.always pc + 0\nnop\nnop\nnop\nadd unif_addr, r1, unif" END),

    /* rule 11 */
    OK("texture", "mov tmu0_t, r0\nmov tmu0_s, r0" END),
    OK("texture_4", "mov tmu0_r, r0\nmov tmu0_b, r0\nmov tmu0_t, r0\nmov tmu0_s, r0" END),
    BAD("texture_5", CODE_TMU_COUNT,
        "mov tmu0_r, r0\nmov tmu0_b, r0\nmov tmu0_t, r0\nmov tmu0_t, r0\nmov tmu0_s, r0" END),
    BAD("texture_uniform", CODE_TMU_UNIFORM, "mov tmu0_t, unif\nmov tmu0_s, r0" END),
    OK("texture_two_units", "mov tmu0_t, r0\nmov tmu1_t, r0\nmov tmu0_s, r0\nmov tmu1_s, r0" END),

    /* rule 12 */
    BAD("texture_both", CODE_TMU_BOTH, "mov tmu0_t, r0 ; mov tmu1_t, r0" END),

    /* rules 13 and 14 */
    OK("direct", CLAMP_R1 "add tmu0_s, r1, unif" END),
    OK("direct_zero_first", "max r0, 0, r0\nmin r1, r0, unif\nadd tmu0_s, r1, unif" END),
    OK("direct_file_register", "max ra1, r0, 0\nnop\nmin rb3, ra1, unif_b\nnop\nadd tmu0_s, rb3, unif" END),
    OK("direct_twice", CLAMP_R1 "add tmu0_s, r1, unif\nadd tmu0_s, r1, unif" END),
    BAD("direct_swapped", CODE_TMU_CLAMP, CLAMP_R1 "add tmu0_s, unif, r1" END),
    BAD("direct_subtracts", CODE_TMU_DIRECT, CLAMP_R1 "sub tmu0_s, r1, unif" END),
    BAD("direct_no_uniform", CODE_TMU_DIRECT, CLAMP_R1 "add tmu0_s, r1, r2" END),
    BAD("direct_by_mul", CODE_TMU_DIRECT, CLAMP_R1 "nop ; mov tmu0_s, r1" END),
    BAD("direct_by_ldi", CODE_TMU_DIRECT, "ldi tmu0_s, 0" END),
    BAD("direct_small_imm", CODE_TMU_DIRECT, CLAMP_R1 "add tmu0_s, r1, 4" END),
    BAD("direct_unclamped", CODE_TMU_CLAMP, "add tmu0_s, r1, unif" END),
    BAD("direct_only_max", CODE_TMU_CLAMP, "max r1, r0, 0\nadd tmu0_s, r1, unif" END),
    BAD("direct_only_min", CODE_TMU_CLAMP, "min r1, r0, unif\nadd tmu0_s, r1, unif" END),
    BAD("direct_max_1", CODE_TMU_CLAMP, "max r0, r0, 1\nmin r1, r0, unif\nadd tmu0_s, r1, unif" END),
    BAD("direct_max_conditional", CODE_TMU_CLAMP, "max.ifz r0, r0, 0\nmin r1, r0, unif\nadd tmu0_s, r1, unif" END),
    BAD("direct_min_conditional", CODE_TMU_CLAMP, "max r0, r0, 0\nmin.ifz r1, r0, unif\nadd tmu0_s, r1, unif" END),
    BAD("direct_min_swapped", CODE_TMU_CLAMP, "max r0, r0, 0\nmin r1, unif, r0\nadd tmu0_s, r1, unif" END),
    BAD("direct_clamp_overwritten", CODE_TMU_CLAMP, CLAMP_R1 "nop ; mov r1, r2\nadd tmu0_s, r1, unif" END),
    BAD("direct_clamp_dies_at_target", CODE_TMU_CLAMP,
        "nop\nnop\n" CLAMP_R1
        "br.always pc + 0\nnop\nnop\nnop\nldi r2, 8\nadd unif_addr, r2, unif\nadd tmu0_s, r1, unif" END),
    BAD("direct_clamp_dies_at_switch", CODE_TMU_CLAMP, CLAMP_R1 "nop ; thrsw\nnop\nnop\nadd tmu0_s, r1, unif" END),
    OK("direct_clamp_in_switch_slots", CLAMP_R1 "nop ; thrsw\nnop\nadd tmu0_s, r1, unif" END),
    OK("direct_clamp_in_file_lives",
       "max r0, r0, 0\nmin ra1, r0, unif\nnop ; thrsw\nnop\nnop\nadd tmu0_s, ra1, unif_b" END),

    /* rule 15 */
    BAD("texture_spans_target", CODE_TMU_SPAN,
        "nop\nnop\nmov tmu0_t, r0\nbr.always pc + 0\nnop\nnop\nnop\nldi r1, 8\nadd unif_addr, r1, unif\nmov tmu0_s, "
        "r0" END),

    /* rule 17 */
    OK("threads", "nop ; thrsw\nnop\nnop\nnop ; last_thrsw\nnop\nnop" END),
    BAD("switches_too_close", CODE_THREADS, "nop ; thrsw\nnop\nnop ; last_thrsw\nnop\nnop" END),
    BAD("branch_after_switch", CODE_THREADS, "nop ; thrsw\nnop\nbr.always pc + 0\nnop\nnop\nnop\nnop" END),
    BAD("threaded_high_write", CODE_THREAD_REGISTERS, "nop ; last_thrsw\nnop\nnop\nmov ra16, r0" END),
    BAD("threaded_high_read", CODE_THREAD_REGISTERS, "nop ; last_thrsw\nnop\nnop\nmov r0, rb31" END),
    OK("threaded_low", "nop ; last_thrsw\nnop\nnop\nmov ra15, r0\nmov r0, rb15" END),
    OK("unthreaded_high", "mov ra16, r0\nmov r0, rb31" END),
};

static struct model_device *dev;
static struct model_file *file;

static void run_program(void **state)
{
    const struct program *p = *state;
    uint32_t handle;
    int err = create_shader(file, p->text, &handle);
    if (p->rule == KEEPS) {
        assert_accepted(err);
        close_bo(file, handle);
    } else {
        assert_refused(err, p->rule);
    }
}

static void sizes_and_pads(void **state)
{
    uint64_t words[16];
    uint32_t count = assemble(IDLE_PROGRAM, words, 16);
    const struct drm_vc4_create_shader_bo good = {.size = 8 * count, .data = (uintptr_t)words};
    struct drm_vc4_create_shader_bo args = good;
    args.size = 0;
    assert_refused(model_ioctl(file, DRM_IOCTL_VC4_CREATE_SHADER_BO, &args), KRN_RULE_CODE_SIZE);
    args = good;
    args.size -= 4;
    assert_refused(model_ioctl(file, DRM_IOCTL_VC4_CREATE_SHADER_BO, &args), KRN_RULE_CODE_SIZE);
    args = good;
    args.flags = 1;
    assert_refused(model_ioctl(file, DRM_IOCTL_VC4_CREATE_SHADER_BO, &args), KRN_RULE_CODE_SIZE);
    args = good;
    args.pad = 1;
    assert_refused(model_ioctl(file, DRM_IOCTL_VC4_CREATE_SHADER_BO, &args), KRN_RULE_CODE_SIZE);
    args = good;
    args.data = 0;
    assert_int_equal(model_ioctl(file, DRM_IOCTL_VC4_CREATE_SHADER_BO, &args), -14);
    args = good;
    assert_accepted(model_ioctl(file, DRM_IOCTL_VC4_CREATE_SHADER_BO, &args));
    assert_null(model_bo_map(file, args.handle, NULL));
}

/* If the end signal is in the last word of the page, its delay slots are outside the buffer. */
static void delay_slots_outside(void **state)
{
    uint64_t words[512], line[4];
    assemble(IDLE_PROGRAM, line, 4);
    for (int i = 0; i < 512; i++)
        words[i] = line[0];
    words[511] = line[1];
    struct drm_vc4_create_shader_bo args = {.size = sizeof words, .data = (uintptr_t)words};
    assert_refused(model_ioctl(file, DRM_IOCTL_VC4_CREATE_SHADER_BO, &args), KRN_RULE_CODE_END);
    words[509] = line[1];
    words[511] = line[0];
    assert_accepted(model_ioctl(file, DRM_IOCTL_VC4_CREATE_SHADER_BO, &args));
}

static struct krn_shader *validate(const char *text)
{
    uint64_t words[512] = {0};
    assemble(text, words, 512);
    struct krn_shader *shader = NULL;
    assert_accepted(krn_shader_validate(words, 512, &shader));
    return shader;
}

static void uniforms_are_counted(void **state)
{
    struct krn_shader *s = validate("add r0, unif, unif_b\nmov r0, unif ; mov r1, r2\nmov tmu0_r, r0\nmov tmu0_t, r0\n"
                                    "mov tmu0_s, r0\n" CLAMP_R1 "add tmu1_s, r1, unif" END);
    assert_int_equal(s->uniforms_B, 4 * 7); /* reads through both files in one instruction take one uniform */
    assert_int_equal(s->sample_count, 2);
    assert_false(s->samples[0].direct);
    assert_int_equal(s->samples[0].word_B[0], 8);
    assert_int_equal(s->samples[0].word_B[2], 16);
    assert_int_equal(s->samples[0].word_B[3], KRN_NO_UNIFORM);
    assert_true(s->samples[1].direct);
    assert_int_equal(s->samples[1].word_B[0], 24);
    assert_int_equal(s->samples[1].word_B[1], 20);
    assert_int_equal(s->address_count, 0);
    krn_shader_destroy(s);
}

static void addresses_are_noted(void **state)
{
    struct krn_shader *s = validate("mov r0, unif\nldi r1, 8\nadd unif_addr, r1, unif\nnop\nnop\nmov r0, unif" END);
    assert_int_equal(s->uniforms_B, 12);
    assert_int_equal(s->address_count, 1);
    assert_int_equal(s->address_B[0], 4);
    krn_shader_destroy(s);
    /* A backward branch without a later reset of the uniforms address adds one word (rule 10). */
    s = validate("nop\nnop\nbr.anyz pc + -32\nnop\nnop\nnop" END);
    assert_int_equal(s->uniforms_B, 4);
    assert_int_equal(s->address_count, 1);
    assert_int_equal(s->address_B[0], 0);
    krn_shader_destroy(s);
}

/* Rule 16: once the kernel has marked a TMU as used for a direct lookup, it never clears the mark. */
static void direct_mark_sticks(void **state)
{
    struct krn_shader *s = validate(CLAMP_R1 "add tmu0_s, r1, unif\nmov tmu0_t, r0\nmov tmu0_s, r0\nmov tmu1_t, r0\n"
                                             "mov tmu1_s, r0" END);
    assert_int_equal(s->sample_count, 3);
    assert_true(s->samples[1].direct);
    assert_false(s->samples[2].direct);
    krn_shader_destroy(s);
}

static void random_words(void **state)
{
    srand(4);
    for (int n = 0; n < 20000; n++) {
        uint64_t words[32];
        for (int i = 0; i < 32; i++) {
            words[i] = 0;
            for (int j = 0; j < 5; j++)
                words[i] = words[i] << 15 ^ (uint64_t)rand();
            if (rand() % 4)
                words[i] = (words[i] & ~(UINT64_C(15) << 60)) | UINT64_C(1) << 60;
        }
        uint64_t idle[4];
        assemble(IDLE_PROGRAM, idle, 4);
        memcpy(words + rand() % 29, idle + 1, 24);
        struct drm_vc4_create_shader_bo args = {.size = sizeof words, .data = (uintptr_t)words};
        if (!model_ioctl(file, DRM_IOCTL_VC4_CREATE_SHADER_BO, &args))
            close_bo(file, args.handle);
        else
            assert_true(*model_last_refusal());
    }
}

static int setup(void **state)
{
    return model_create(&(struct model_options){.threads = 1}, &dev) || model_open(dev, &file);
}

static int teardown(void **state)
{
    model_close(file);
    model_destroy(dev);
    return 0;
}

int main(void)
{
    static const struct CMUnitTest others[] = {
        cmocka_unit_test(sizes_and_pads),       cmocka_unit_test(delay_slots_outside),
        cmocka_unit_test(uniforms_are_counted), cmocka_unit_test(addresses_are_noted),
        cmocka_unit_test(direct_mark_sticks),   cmocka_unit_test(random_words),
    };
    struct CMUnitTest tests[ARRAY_SIZE(programs) + ARRAY_SIZE(others)];
    size_t n = 0;
    for (; n < ARRAY_SIZE(programs); n++)
        tests[n] = (struct CMUnitTest){programs[n].name, run_program, NULL, NULL, (void *)(uintptr_t)&programs[n]};
    memcpy(tests + n, others, sizeof others);
    return _cmocka_run_group_tests("shader_rules", tests, ARRAY_SIZE(tests), setup, teardown);
}
