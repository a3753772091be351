/* SPDX-License-Identifier: MIT
 *
 * Compares each operation of lower_f64.h, or of lower_i64.h if the argument is "i64", with the host's, bit for bit: as built, by a fast evaluator on many operands;
 * optimised and lowered, by the evaluator of the other tests; and compiled, on the model's interpreter. VKT_FUZZ=full
 * takes ten million operands for each operation, VKT_FUZZ=N takes N; VKT_SEED sets the first one. Prints the size of
 * each operation's code.
 */
#include <inttypes.h>
#include <stdlib.h>
#include "../compiler_qpu/harness.h"
#include "compiler/lower/lower.h"
#include "f64_eval.h"
#include "f64_ops.h"
#include "ir_eval.h"

static const struct f64_operation *operations;
static uint32_t operation_count;

static uint64_t seed(void)
{
    const char *text = getenv("VKT_SEED");
    return text ? strtoull(text, NULL, 0) : 1;
}

static uint64_t rounds(void)
{
    const char *text = getenv("VKT_FUZZ");
    return !text ? 20000 : !strcmp(text, "full") ? 10000000 : strtoull(text, NULL, 0);
}

static void check(const struct f64_operation *op, const struct f64_values *v, uint32_t lo, uint32_t hi)
{
    uint64_t want = op->reference(v), got = f64_kind_is_wide(op->result) ? lo | (uint64_t)hi << 32 : lo;
    if (want != F64_UNDEFINED && !f64_same(op->result, want, got))
        fail_msg("%s 0x%016" PRIx64 " 0x%016" PRIx64 " 0x%016" PRIx64 ": 0x%" PRIx64 ", expected 0x%" PRIx64, op->name,
                 v->v[0], v->v[1], v->v[2], got, want);
}

/* ---------------------------------------------------------------- as built */

static struct ir_instr *read_input(struct ir_builder *b, uint32_t word)
{
    struct ir_instr *i = ir_build0(b, IR_LOAD_INPUT);
    i->imm = word / 4;
    i->imm2 = word % 4;
    return i;
}

static struct ir_instr *read_word(struct ir_builder *b, uint32_t word)
{
    struct ir_instr *i = ir_build0(b, IR_LOAD_INPUT);
    i->imm2 = word;
    return i;
}

static void write_output(struct ir_builder *b, uint32_t word, struct ir_instr *value)
{
    ir_build1(b, IR_STORE_OUTPUT, value)->imm2 = word;
}

static void many_operands(const struct f64_operation *op, struct f64_eval *e)
{
    struct util_arena arena;
    util_arena_init(&arena, NULL);
    struct ir_shader *shader = ir_shader_create(&arena, VC4C_PROGRAM_FRAGMENT);
    f64_build(shader, op, read_word, write_output);
    const char *invalid = ir_validate(shader, false);
    if (invalid)
        fail_msg("%s: %s", op->name, invalid);
    ir_renumber(shader);
    ir_find_preds(shader);
    e->values = aligned_alloc(64, shader->value_count * sizeof *e->values);
    struct f64_values v[F64_LANES];
    struct f64_random r = {seed()};
    e->trouble = NULL;
    for (uint64_t n = 0; n < rounds(); n += F64_LANES) {
        for (uint32_t l = 0; l < F64_LANES; l++) {
            f64_random_operands(&r, op, &v[l]);
            for (uint32_t i = 0; i < F64_MAX_OPERANDS; i++) {
                e->in[2 * i][l] = (uint32_t)v[l].v[i];
                e->in[2 * i + 1][l] = (uint32_t)(v[l].v[i] >> 32);
            }
        }
        e->instructions = 0;
        f64_eval_run(e, shader);
        if (e->trouble)
            fail_msg("%s: %s", op->name, e->trouble);
        for (uint32_t l = 0; l < F64_LANES; l++)
            check(op, &v[l], e->out[0][l], e->out[1][l]);
    }
    free(e->values);
    util_arena_finish(&arena);
}

static void as_built(void **state)
{
    struct f64_eval *e = calloc(1, sizeof *e);
    print_message("# %" PRIu64 " operands for each operation, from seed %" PRIu64 "\n", rounds(), seed());
    for (uint32_t i = 0; i < operation_count; i++)
        many_operands(&operations[i], e);
    free(e);
}

/* ---------------------------------------------------------------- optimised and lowered */

static struct f64_values lanes[EVAL_LANES];

static uint32_t input(uint32_t location, uint32_t component, uint32_t lane)
{
    return (uint32_t)(lanes[lane].v[2 * location + component / 2] >> (component % 2 * 32));
}

static void evaluate(const struct f64_operation *op, struct f64_random *r)
{
    struct util_arena arena;
    util_arena_init(&arena, NULL);
    struct ir_shader *shader = ir_shader_create(&arena, VC4C_PROGRAM_FRAGMENT);
    f64_build(shader, op, read_input, write_output);
    ir_optimise(shader);
    ir_lower_int(shader);
    ir_lower_math(shader);
    ir_optimise(shader);
    ir_renumber(shader);
    struct eval *e = calloc(1, sizeof *e);
    e->input = input;
    for (uint32_t round = 0; round < 8; round++) {
        for (uint32_t l = 0; l < EVAL_LANES; l++)
            f64_random_operands(r, op, &lanes[l]);
        eval_run(e, shader, 100000);
        assert_null(e->trouble);
        for (uint32_t l = 0; l < EVAL_LANES; l++)
            check(op, &lanes[l], e->out[0][0][l], e->out[0][1][l]);
    }
    free(e);
    util_arena_finish(&arena);
}

static void lowered(void **state)
{
    struct f64_random r = {seed()};
    for (uint32_t i = 0; i < operation_count; i++)
        for (uint64_t n = 0; n < 1 + rounds() / 20000; n += 10)
            evaluate(&operations[i], &r);
}

/* ---------------------------------------------------------------- on the model */

static struct ir_instr *read_attribute(struct ir_builder *b, uint32_t word)
{
    struct ir_instr *i = ir_build0(b, IR_ATTRIBUTE);
    i->imm = word;
    return i;
}

static void write_vpm(struct ir_builder *b, uint32_t word, struct ir_instr *value)
{
    ir_build1(b, IR_VPM_STORE, value);
}

static char *text_of(const struct f64_operation *op)
{
    struct util_arena arena;
    char *text = NULL;
    size_t size_B = 0;
    util_arena_init(&arena, NULL);
    struct ir_shader *shader = ir_shader_create(&arena, VC4C_PROGRAM_VERTEX);
    shader->attribute_count = 1;
    shader->attributes[0] = (struct vc4c_attribute){.size_B = (uint8_t)(8 * op->operands)};
    f64_build(shader, op, read_attribute, write_vpm);
    ir_optimise(shader);
    ir_lower_int(shader);
    ir_lower_math(shader);
    shader->lowered = true;
    ir_optimise(shader);
    ir_lower_loop_exits(shader);
    ir_renumber(shader);
    FILE *to = open_memstream(&text, &size_B);
    ir_print(to, shader);
    fclose(to);
    util_arena_finish(&arena);
    return text;
}

static void on_model(void **state)
{
    struct harness *h = *state;
    struct f64_random r = {seed()};
    for (uint32_t i = 0; i < operation_count; i++) {
        const struct f64_operation *op = &operations[i];
        char *text = text_of(op);
        harness_compile(h, text);
        free(text);
        print_message("# %-14s %4u instructions\n", op->name, h->program.instruction_count);
        for (uint64_t n = 0; n < 16 + rounds() / 1000; n++) {
            for (uint32_t l = 0; l < EVAL_LANES; l++) {
                f64_random_operands(&r, op, &lanes[l]);
                for (uint32_t word = 0; word < 2u * op->operands; word++)
                    h->vpm_in[word][l] = (uint32_t)(lanes[l].v[word / 2] >> (word % 2 * 32));
            }
            harness_run(h);
            for (uint32_t l = 0; l < EVAL_LANES; l++)
                check(op, &lanes[l], h->vpm_out[0][l], h->vpm_out[1][l]);
        }
    }
}

int main(int argc, char **argv)
{
    const bool is_i64 = argc > 1 && !strcmp(argv[1], "i64");
    operations = is_i64 ? i64_operations : f64_operations;
    operation_count = is_i64 ? i64_operation_count : f64_operation_count;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_built),
        cmocka_unit_test(lowered),
        cmocka_unit_test_setup_teardown(on_model, harness_setup, harness_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
