/* SPDX-License-Identifier: MIT
 *
 * Texture and memory lookups: the TMU parameters come in the order of their configuration words, results reach the
 * right values, and lookups are batched between thread switches.
 */
#include "harness.h"

#include <stdlib.h>

#define P0 (HARNESS_DATA | 0u << 4)                                /* RGBA8888, one level */
#define P1 (4u << 20 | 4u << 8 | 1u << 7 | 1u << 4 | 1u << 2 | 1u) /* 4x4, nearest, clamp */

/* Texel (x, y) of the 4x4 texture, which is one utile. */
static uint32_t texel(unsigned x, unsigned y)
{
    return 0x01020304u * (1 + 4 * y + x) + 0x80u;
}

static void set_up(struct harness *h)
{
    h->tex_p0 = P0;
    h->tex_p1 = P1;
    for (unsigned k = 0; k < 16; k++) {
        uint32_t word = texel(k % 4, k / 4);
        memcpy(h->mem.base + HARNESS_DATA + 4 * k, &word, 4);
    }
    /* s and t step over the texture: the lane at (x, y) samples column x / 2 and row y. */
    h->varyings[0] = (struct gpu_varying){.a = 0.125f, .c = 0.0625f};
    h->varyings[1] = (struct gpu_varying){.b = 0.25f, .c = 0.125f};
}

static unsigned x_of(unsigned lane)
{
    return ((lane >> 2) * 2 + (lane & 1)) / 2;
}

static unsigned y_of(unsigned lane)
{
    return lane >> 1 & 1;
}

#define HEAD                                                                                                           \
    "shader fragment\ntexture 0 0 0 0 0 0 0\nbuffer 0 1 0 0\ninput 0 0 0 0 0\ninput 0 1 0 0 0\n{\n"                    \
    "%0 = varying [0]\n%1 = varying [1]\n?2 = const 1\n"
#define TEX "tex texture=0 (tex_p0) (tex_p1) "

static void one_texture(void **state)
{
    struct harness *h = *state;
    set_up(h);
    const uint32_t *out = harness_word(h, HEAD "%3 = " TEX "%0 %1\ntlb_color_store %3 ?2\n}\n");
    assert_true(h->program.threaded);
    assert_int_equal(h->program.lookup_count, 1);
    for (unsigned l = 0; l < QPU_LANES; l++)
        assert_int_equal(out[l], texel(x_of(l), y_of(l)));
}

static void channels(void **state)
{
    struct harness *h = *state;
    set_up(h);
    const uint32_t *out = harness_word(h, HEAD "%3 = " TEX "%0 %1\n%4 = unpack_f [2] %3\n%5 = unpack_f [3] %3\n"
                                               "%6 = unpack_f [4] %3\n%7 = unpack_f [5] %3\n%8 = const 1.0\n"
                                               "%9 = fmul %4 %8\n%10 = unpack_i [2] %3\n%11 = unpack_i [3] %3\n"
                                               "%12 = iadd %10 %11\n"
                                               "%14 = pack_unorm8 %7 %9 %5 %6\n%15 = xor %14 %12\n"
                                               "tlb_color_store %15 ?2\n}\n");
    for (unsigned l = 0; l < QPU_LANES; l++) {
        uint32_t t = texel(x_of(l), y_of(l));
        uint32_t sum = (t & 255) + (t >> 8 & 255);
        assert_int_equal(out[l] ^ sum, t >> 24 | (t & 255) << 8 | (t >> 8 & 255) << 16 | (t >> 16 & 255) << 24);
    }
}

/* Many lookups, one of which depends on the others: batches of two between thread switches. */
static void many_textures(void **state)
{
    struct harness *h = *state;
    char text[4096] = HEAD "%9 = const 0\n%10 = mov %9\n", line[256];
    set_up(h);
    for (unsigned k = 0; k < 9; k++) {
        snprintf(line, sizeof line,
                 "%%%u = const %f\n%%%u = fadd %%0 %%%u\n%%%u = " TEX "%%%u %%1\n%%%u = iadd %%%u %%%u\n", 20 + k * 5,
                 k * 0.25, 21 + k * 5, 20 + k * 5, 22 + k * 5, 21 + k * 5, 24 + k * 5, 22 + k * 5,
                 k ? 24 + (k - 1) * 5 : 10);
        strcat(text, line);
    }
    strcat(text, "%80 = const 8\n%81 = shr %64 %80\n%82 = const 0xff\n%83 = and %81 %82\n%84 = itof %83\n%85 = const "
                 "0.00390625\n"
                 "%86 = fmul %84 %85\n%87 = " TEX "%86 %1\n%88 = iadd %87 %64\ntlb_color_store %88 ?2\n}\n");
    const uint32_t *out = harness_word(h, text);
    assert_true(h->program.threaded);
    assert_int_equal(h->program.lookup_count, 10);
    for (unsigned l = 0; l < QPU_LANES; l++) {
        uint32_t sum = 0;
        for (unsigned k = 0; k < 9; k++)
            sum += texel(MIN2(x_of(l) + k, 3), y_of(l));
        sum += texel((sum >> 8 & 255) / 64, y_of(l));
        assert_int_equal(out[l], sum);
    }
}

/* R, T, B, S are written in this order, each with its configuration word [notes 3.1]. */
static void parameter_order(void **state)
{
    static const uint8_t waddrs[4] = {QPU_W_TMU0_R, QPU_W_TMU0_T, QPU_W_TMU0_B, QPU_W_TMU0_S};
    static const uint8_t kinds[4] = {VC4C_UNIFORM_TEX_P0, VC4C_UNIFORM_TEX_P1, VC4C_UNIFORM_TEX_P2_LOD,
                                     VC4C_UNIFORM_TEX_ZERO};
    struct harness *h = *state;
    harness_compile(h, HEAD "%3 = const 0.5\n%4 = uniform push data=4\n"
                            "%5 = tex texture=0 has_r=1 has_b=1 (tex_p0) (tex_p1) (tex_p2_lod) (tex_zero) %0 %1 %4 %3\n"
                            "tlb_color_store %5 ?2\n}\n");
    unsigned n = 0, popped = 0;
    for (uint32_t k = 0; k < h->program.instruction_count; k++) {
        struct qpu_instr i = qpu_decode(h->program.code[k]);
        if (i.sig != QPU_SIG_LOAD_IMM && (qpu_waddr_is_tmu(i.waddr_add) || qpu_waddr_is_tmu(i.waddr_mul))) {
            assert_true(n < 4);
            assert_int_equal(qpu_waddr_is_tmu(i.waddr_add) ? i.waddr_add : i.waddr_mul, waddrs[n]);
            assert_int_equal(h->program.uniforms[popped].kind, kinds[n]);
            n++;
            popped++;
        } else if (i.sig != QPU_SIG_LOAD_IMM &&
                   (i.raddr_a == QPU_R_UNIFORM || (i.raddr_b == QPU_R_UNIFORM && i.sig != QPU_SIG_SMALL_IMM))) {
            popped++;
        }
    }
    assert_int_equal(n, 4);
    assert_int_equal(popped, h->program.uniform_count);
}

static void direct_lookup_is_clamped(void **state)
{
    struct harness *h = *state;
    for (unsigned k = 0; k < 64; k++)
        memcpy(h->mem.base + HARNESS_DATA + 4 * k, &(uint32_t){1000 + k}, 4);
    h->buffer_size_B = 64;
    static const int32_t offsets[16] = {0,     4,          8,         60, 64, 68, 1000, -4,
                                        -1000, 2147483647, INT32_MIN, 12, 13, 14, 15,   16};
    memcpy(h->vpm_in[0], offsets, sizeof offsets);
    const uint32_t *out = harness_word(h, "shader vertex\nbuffer 0 0 0 0\nattribute 0 0 4\n{ %0 = attribute [0 0]\n"
                                          "%1 = direct [0] %0\n%2 = const 4\n%3 = iadd %0 %2\n%4 = direct [0] %3\n"
                                          "vpm_store %1\nvpm_store %4 }\n");
    assert_int_equal(h->program.lookup_count, 2);
    assert_int_equal(h->program.lookups[0].is_buffer, 1);
    for (unsigned l = 0; l < QPU_LANES; l++)
        assert_int_equal(out[l], 1000 + CLAMP(offsets[l], 0, 60) / 4);
}

/* The words of one access share a clamp. In range, each word is its own; at the end of the range, past it and in front
 * of it, each word comes from inside the range. Also tests ranges shorter than the access. */
static void words_of_an_access_share_a_clamp(void **state)
{
    struct harness *h = *state;
    for (unsigned k = 0; k < 64; k++)
        memcpy(h->mem.base + HARNESS_DATA + 4 * k, &(uint32_t){1000 + k}, 4);
    static const int32_t offsets[16] = {0,  4,     8,          44,        48, 52, 56, 60, 64, 1000, -4,
                                        -8, -1000, 2147483647, INT32_MIN, 32};
    static const uint32_t sizes_B[] = {64, 16, 12, 4};
    for (unsigned n = 0; n < ARRAY_SIZE(sizes_B); n++) {
        int32_t last_B = (int32_t)sizes_B[n] - 4, limit_B = MAX2(last_B - 12, 0);
        h->buffer_size_B = sizes_B[n];
        memcpy(h->vpm_in[0], offsets, sizeof offsets);
        const uint32_t *out =
            harness_word(h, "shader vertex\nbuffer 0 0 0 0\nattribute 0 0 4\n{ %0 = attribute [0 0]\n"
                            "%1 = direct [0 786432] %0\n%2 = direct [0 786436] %0\n"
                            "%3 = direct [0 786440] %0\n%4 = direct [0 786444] %0\n"
                            "vpm_store %1\nvpm_store %2\nvpm_store %3\nvpm_store %4 }\n");
        assert_int_equal(h->program.lookup_count, 4);
        unsigned limits = 0;
        for (uint32_t k = 0; k < h->program.uniform_count; k++)
            limits += h->program.uniforms[k].kind == VC4C_UNIFORM_BUFFER_LIMIT;
        assert_int_equal(limits, 1);
        for (unsigned w = 0; w < 4; w++)
            for (unsigned l = 0; l < QPU_LANES; l++)
                assert_int_equal(out[w * QPU_LANES + l],
                                 1000 + (CLAMP(offsets[l], 0, limit_B) + MIN2(4 * (int32_t)w, last_B)) / 4);
    }
}

/* Texture and direct lookups in one threaded program, which use different TMUs. */
static void both_kinds(void **state)
{
    struct harness *h = *state;
    set_up(h);
    const uint32_t *out =
        harness_word(h, HEAD "%3 = " TEX "%0 %1\n%4 = const 0xff\n%5 = and %3 %4\n%6 = const 1\n"
                             "%7 = shr %5 %6\n%8 = direct [0] %7\n%9 = " TEX "%1 %0\n%10 = xor %8 %9\n"
                             "%11 = frag_x\n%12 = const 2\n%13 = shl %11 %12\n%14 = direct [0] %13\n"
                             "%15 = xor %10 %14\ntlb_color_store %15 ?2\n}\n");
    for (unsigned l = 0; l < QPU_LANES; l++) {
        uint32_t a = (texel(x_of(l), y_of(l)) & 255) / 2, x = (l >> 2) * 2 + (l & 1);
        uint32_t direct = a / 4 < 16 ? texel(a / 4 % 4, a / 16) : 0;
        assert_int_equal(out[l], direct ^
                                     texel(MIN2(y_of(l), 3), x_of(l) * 0 + (unsigned)((x * 0.125f + 0.0625f) * 4)) ^
                                     texel(x % 4, x / 4));
    }
}

/* No value may live in an accumulator across a thread switch: programs with random work between lookups must give the
 * same results with and without threads. */
static void threads_change_nothing(void **state)
{
    struct harness *h = *state;
    set_up(h);
    for (unsigned round = 0; round < 40; round++) {
        char text[8192] = HEAD, line[200];
        unsigned v = 20;
        srand(round);
        strcat(text, "%10 = ftoi %0\n%11 = frag_x\n%12 = frag_y\n%13 = const 0.25\n");
        for (unsigned k = 0; k < 30; k++, v += 4) {
            unsigned a = k < 3 ? 10 + (unsigned)rand() % 3 : 20 + 4 * ((unsigned)rand() % k);
            unsigned b = k < 3 ? 10 + (unsigned)rand() % 3 : 20 + 4 * (k - 1 - (unsigned)rand() % 3);
            if (rand() % 5 == 0)
                snprintf(line, sizeof line,
                         "%%%u = itof %%%u\n%%%u = fmul %%%u %%13\n%%%u = " TEX "%%%u %%1\n%%%u = iadd %%%u %%%u\n",
                         v + 1, a, v + 2, v + 1, v + 3, v + 2, v, v + 3, b);
            else if (rand() % 4 == 0)
                snprintf(line, sizeof line, "?%u = ilt %%%u %%%u\n%%%u = sel ?%u %%%u %%0\n", v + 1, a, b, v, v + 1, b);
            else
                snprintf(line, sizeof line, "%%%u = %s %%%u %%%u\n", v, rand() % 2 ? "iadd" : "xor", a, b);
            strcat(text, line);
        }
        snprintf(line, sizeof line, "tlb_color_store %%%u ?2\n}\n", v - 4);
        strcat(text, line);
        uint32_t with[QPU_LANES];
        memcpy(with, harness_word(h, text), sizeof with);
        h->single_thread = true;
        harness_word(h, text);
        h->single_thread = false;
        assert_false(h->program.threaded);
        assert_memory_equal(with, h->color[0], sizeof with);
    }
}

/* Lookups before, inside and after branches and loops, with and without threads. In half of the variants the last
 * lookup is in a loop. */
static void threads_and_branches(void **state)
{
    struct harness *h = *state;
    set_up(h);
    static const char *const first[] = {"", "%70 = " TEX "%1 %1\ntlb_stencil %70\n"};
    static const char *const last[] = {"tlb_color_store %50 ?2\n}\n",
                                       "%60 = " TEX "%50 %1\n%61 = xor %50 %60\ntlb_color_store %61 ?2\n}\n"};
    static const char *const start = HEAD "%3 = uniform push data=0\n%4 = const 2\n%5 = const 1\n%6 = const 0\n"
                                          "?7 = ilt %3 %4\n";
    static const char *const middle =
        "if ?7 {\n%10 = " TEX "%0 %1\n%11 = iadd %10 %3\n%12 = itof %11\n%13 = " TEX "%12 %0\n"
        "%14 = xor %13 %11\n%15 = mul24 %14 %14\n%16 = iadd %15 %10\n%17 = clz %16\n"
        "} else {\n%20 = " TEX "%1 %0\n%21 = not %20\n%22 = iadd %21 %20\n%23 = xor %22 %3\n}\n"
        "%30 = phi %16 %23\n"
        "loop {\n%31 = phi %6 %36\n%32 = phi %30 %35\n?33 = ige %31 %3\nif ?33 { break } else { }\n"
        "%37 = itof %32\n%34 = " TEX "%37 %0\n%35 = iadd %32 %34\n%36 = iadd %31 %5\n}\n%50 = phi %32\n";
    for (unsigned variant = 0; variant < 4; variant++) {
        char text[4096];
        snprintf(text, sizeof text, "%s%s%s%s", start, first[variant & 1], middle, last[variant >> 1]);
        uint32_t with[4][QPU_LANES];
        harness_compile(h, text);
        assert_true(h->program.threaded);
        for (h->push[0] = 0; h->push[0] < 4; h->push[0]++) {
            h->color_count = 0;
            harness_run(h);
            memcpy(with[h->push[0]], h->color[0], sizeof with[0]);
        }
        h->single_thread = true;
        harness_compile(h, text);
        h->single_thread = false;
        assert_false(h->program.threaded);
        for (h->push[0] = 0; h->push[0] < 4; h->push[0]++) {
            harness_run(h);
            assert_memory_equal(with[h->push[0]], h->color[0], sizeof with[0]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_texture, harness_setup, harness_teardown),
        cmocka_unit_test_setup_teardown(channels, harness_setup, harness_teardown),
        cmocka_unit_test_setup_teardown(many_textures, harness_setup, harness_teardown),
        cmocka_unit_test_setup_teardown(parameter_order, harness_setup, harness_teardown),
        cmocka_unit_test_setup_teardown(direct_lookup_is_clamped, harness_setup, harness_teardown),
        cmocka_unit_test_setup_teardown(words_of_an_access_share_a_clamp, harness_setup, harness_teardown),
        cmocka_unit_test_setup_teardown(both_kinds, harness_setup, harness_teardown),
        cmocka_unit_test_setup_teardown(threads_change_nothing, harness_setup, harness_teardown),
        cmocka_unit_test_setup_teardown(threads_and_branches, harness_setup, harness_teardown),
    };
    return cmocka_run_group_tests_name("compiler_qpu_lookups", tests, NULL, NULL);
}
