/* SPDX-License-Identifier: MIT
 *
 * Formats that the chip cannot convert by itself and the compiler converts in code (small floats, sRGB). Every value of
 * the format is unpacked and packed by code run on the model.
 */
#include <math.h>
#include <stdlib.h>
#include "../compiler_qpu/harness.h"
#include "compiler/lower/lower.h"

static struct ir_instr *attribute(struct ir_builder *b, uint32_t row)
{
    struct ir_instr *word = ir_build0(b, IR_ATTRIBUTE);
    word->imm = row;
    return word;
}

/* Compiles a program that unpacks row 0 into rows 0 to 2, or one that packs rows 0 to 2 into row 0. */
static void compile(struct harness *h, enum hw_format format, bool packs)
{
    struct util_arena arena;
    util_arena_init(&arena, NULL);
    struct ir_shader *shader = ir_shader_create(&arena, VC4C_PROGRAM_VERTEX);
    struct ir_builder b = ir_at_end(shader, ir_first_block(shader));
    shader->attributes[0] = (struct vc4c_attribute){.size_B = 16};
    shader->attribute_count = 1;
    shader->attribute_size_B = 16;
    struct ir_instr *in[4], *out[4];
    for (uint32_t i = 0; i < 4; i++)
        in[i] = packs || i == 0 ? attribute(&b, i) : NULL;
    if (packs)
        out[0] = ir_pack_format(&b, format, 0, in);
    else
        ir_unpack_format(&b, format, in, out);
    for (uint32_t i = 0; i < (packs ? 1u : 3u); i++)
        ir_build1(&b, IR_VPM_STORE, out[i]);
    ir_lower_math(shader);
    ir_renumber(shader);
    char *text;
    size_t size_B;
    FILE *f = open_memstream(&text, &size_B);
    ir_print(f, shader);
    fclose(f);
    harness_compile(h, text);
    free(text);
    util_arena_finish(&arena);
}

/* The value of an unsigned float with 5 exponent bits. */
static float number(uint32_t field, uint32_t mantissa_bits)
{
    uint32_t exponent = field >> mantissa_bits, mantissa = field & ((1u << mantissa_bits) - 1);
    if (exponent == 31)
        return mantissa ? NAN : INFINITY;
    return exponent ? ldexpf((float)(mantissa + (1u << mantissa_bits)), (int)exponent - 15 - (int)mantissa_bits)
                    : ldexpf((float)mantissa, -14 - (int)mantissa_bits);
}

static uint32_t word_of(uint32_t field)
{
    return field | field << 11 | field >> 1 << 22;
}

static void small_floats_are_read(void **state)
{
    struct harness *h = *state;
    compile(h, HW_FORMAT_R11G11B10_UFLOAT, false);
    for (uint32_t first = 0; first < 2048; first += QPU_LANES) {
        for (uint32_t l = 0; l < QPU_LANES; l++)
            h->vpm_in[0][l] = word_of(first + l);
        harness_run(h);
        for (uint32_t l = 0; l < QPU_LANES; l++) {
            const float want[3] = {number(first + l, 6), number(first + l, 6), number((first + l) >> 1, 5)};
            for (uint32_t c = 0; c < 3; c++)
                if (!isnan(want[c]) && util_uif(h->vpm_out[c][l]) != want[c])
                    fail_msg("%#x, component %u: %g, expected %g", first + l, c, (double)util_uif(h->vpm_out[c][l]),
                             (double)want[c]);
        }
    }
}

/* Packs each representable value, and values less than half a step above and below it. */
static void small_floats_are_written(void **state)
{
    static const float more[3] = {1, 1.003f, 0.997f};
    struct harness *h = *state;
    compile(h, HW_FORMAT_R11G11B10_UFLOAT, true);
    for (uint32_t k = 0; k < 3; k++) {
        for (uint32_t first = 0; first < 31 << 6; first += QPU_LANES) {
            for (uint32_t l = 0; l < QPU_LANES; l++) {
                h->vpm_in[0][l] = h->vpm_in[1][l] = util_fui(number(first + l, 6) * more[k]);
                h->vpm_in[2][l] = util_fui(number((first + l) >> 1, 5) * more[k]);
            }
            harness_run(h);
            for (uint32_t l = 0; l < QPU_LANES; l++)
                if (h->vpm_out[0][l] != word_of(first + l))
                    fail_msg("%#x * %g: %#x, expected %#x", first + l, (double)more[k], h->vpm_out[0][l],
                             word_of(first + l));
        }
    }
}

/* [Vulkan, "Unsigned 11-Bit Floating-Point Numbers"] */
static void small_floats_end(void **state)
{
    static const struct {
        float x;
        uint32_t field;
    } cases[] = {{INFINITY, 31 << 6}, {-INFINITY, 0}, {-1, 0}, {1e9f, (31 << 6) - 1}, {65024, (31 << 6) - 1},
                 {65535, (31 << 6) - 1}, {1e-30f, 0}};
    struct harness *h = *state;
    compile(h, HW_FORMAT_R11G11B10_UFLOAT, true);
    for (uint32_t i = 0; i < ARRAY_SIZE(cases); i++) {
        for (uint32_t row = 0; row < 3; row++)
            for (uint32_t l = 0; l < QPU_LANES; l++)
                h->vpm_in[row][l] = util_fui(cases[i].x);
        harness_run(h);
        assert_int_equal(h->vpm_out[0][0], word_of(cases[i].field));
    }
}

/* Unpacks every byte and packs the result, which must give the same byte. */
static void srgb_is_read_and_written(void **state)
{
    static uint32_t linear[256][3];
    struct harness *h = *state;
    double worst = 0, last = -1;
    compile(h, HW_FORMAT_R8G8B8A8_SRGB, false);
    for (uint32_t first = 0; first < 256; first += QPU_LANES) {
        for (uint32_t l = 0; l < QPU_LANES; l++)
            h->vpm_in[0][l] = (first + l) * 0x010101u;
        harness_run(h);
        for (uint32_t l = 0; l < QPU_LANES; l++)
            for (uint32_t c = 0; c < 3; c++)
                linear[first + l][c] = h->vpm_out[c][l];
    }
    for (uint32_t i = 0; i < 256; i++) {
        double x = i / 255.0, is = (double)util_uif(linear[i][0]);
        double slope = x <= 0.04045 ? 1 / 12.92 : pow((x + 0.055) / 1.055, 1.4) * 2.4 / 1.055;
        double error = fabs(is - (double)hw_srgb_to_linear((float)x));
        worst = fmax(worst, error / slope * 255); /* in bytes */
        assert_true(is > last && (i >= 32 || error < 6e-5));
        last = is;
    }
    assert_true(linear[0][1] == 0 && linear[255][1] == util_fui(1));
    if (worst > 0.1216)
        fail_msg("sRGB decode: error of %g byte steps, at most 0.1216 expected", worst);
    compile(h, HW_FORMAT_R8G8B8A8_SRGB, true);
    for (uint32_t i = 0; i < 256; i++) {
        for (uint32_t l = 0; l < QPU_LANES; l++)
            for (uint32_t c = 0; c < 3; c++)
                h->vpm_in[c][l] = linear[i][c];
        harness_run(h);
        assert_int_equal(h->vpm_out[0][0] & 0xffffff, i * 0x010101u);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(small_floats_are_read, harness_setup, harness_teardown),
        cmocka_unit_test_setup_teardown(small_floats_are_written, harness_setup, harness_teardown),
        cmocka_unit_test_setup_teardown(small_floats_end, harness_setup, harness_teardown),
        cmocka_unit_test_setup_teardown(srgb_is_read_and_written, harness_setup, harness_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
