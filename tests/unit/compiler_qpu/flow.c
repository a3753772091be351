/* SPDX-License-Identifier: MIT
 *
 * Hand-written control flow: uniform and divergent ifs, nested loops, breaks and continues, values that are used after
 * their loop; which ifs become branches and which do not. Also exhaustion: programs with as many live values as
 * registers and with more, and host memory that fails at every allocation.
 */
#include "harness.h"
#include "util/debug.h"

#include <stdlib.h>

#define HEAD                                                                                                           \
    "shader vertex\nattribute 0 0 8\n{\n%0 = attribute [0 0]\n%1 = attribute [1 0]\n%2 = const 0\n%3 = const 1\n"

static unsigned count_branches(const struct harness *h)
{
    unsigned n = 0;
    for (uint32_t k = 0; k < h->program.instruction_count; k++)
        n += qpu_decode(h->program.code[k]).sig == QPU_SIG_BRANCH;
    return n;
}

static void fill_inputs(struct harness *h)
{
    for (unsigned l = 0; l < QPU_LANES; l++) {
        h->vpm_in[0][l] = l;
        h->vpm_in[1][l] = l * 7 % 5;
    }
}

static void small_ifs_do_not_branch(void **state)
{
    struct harness *h = *state;
    fill_inputs(h);
    const uint32_t *out = harness_word(h, HEAD "?4 = ilt %0 %1\nif ?4 { %5 = iadd %0 %3 } else { %6 = isub %0 %3 }\n"
                                               "%7 = phi %5 %6\nvpm_store %7 }\n");
    assert_int_equal(count_branches(h), 0);
    for (unsigned l = 0; l < QPU_LANES; l++)
        assert_int_equal(out[l], l < l * 7 % 5 ? l + 1 : l - 1);
}

/* Appends a chain of instructions: a body too long to be executed without a branch around it. */
static void append_chain(char *text, unsigned from, unsigned first, unsigned count)
{
    char line[64];
    for (unsigned k = 0; k < count; k++) {
        snprintf(line, sizeof line, "%%%u = iadd %%%u %%1\n", first + k, k ? first + k - 1 : from);
        strcat(text, line);
    }
}

static void uniform_ifs_branch(void **state)
{
    struct harness *h = *state;
    char text[4096] = HEAD "%4 = uniform push data=0\n?5 = ine %4 %2\nif ?5 {\n";
    append_chain(text, 0, 100, 20);
    strcat(text, "} else {\n");
    append_chain(text, 1, 200, 20);
    strcat(text, "}\n%6 = phi %119 %219\nvpm_store %6 }\n");
    fill_inputs(h);
    harness_compile(h, text);
    assert_int_equal(count_branches(h), 2);
    for (h->push[0] = 0; h->push[0] < 2; h->push[0]++) {
        harness_run(h);
        for (unsigned l = 0; l < QPU_LANES; l++)
            assert_int_equal(h->vpm_out[0][l], (h->push[0] ? l : l * 7 % 5) + 20 * (l * 7 % 5));
    }
}

static void divergent_ifs_skip_when_nobody_runs(void **state)
{
    struct harness *h = *state;
    char text[4096] = HEAD "%4 = const 8\n?5 = ilt %0 %4\nif ?5 {\n";
    append_chain(text, 0, 100, 30);
    strcat(text, "%8 = const 5\n%6 = iadd %129 %8\n} else {\n");
    append_chain(text, 1, 200, 30);
    strcat(text, "}\n%7 = phi %6 %229\nvpm_store %7 }\n");
    harness_compile(h, text);
    assert_int_equal(count_branches(h), 2);
    for (unsigned shift = 0; shift < 20; shift += 4) { /* none, some or all lanes below 8 */
        for (unsigned l = 0; l < QPU_LANES; l++) {
            h->vpm_in[0][l] = l + shift - (shift == 0 ? 100 : 0);
            h->vpm_in[1][l] = l;
        }
        harness_run(h);
        for (unsigned l = 0; l < QPU_LANES; l++) {
            uint32_t a = h->vpm_in[0][l];
            assert_int_equal(h->vpm_out[0][l], (int32_t)a < 8 ? a + 30 * l + 5 : l + 30 * l);
        }
    }
}

/* Each lane has its own number of iterations. The values of the last iteration are used after the loop, whether or not
 * they are phis. */
static void divergent_loop(void **state)
{
    struct harness *h = *state;
    fill_inputs(h);
    const uint32_t *out = harness_word(
        h, HEAD
        "loop {\n%4 = phi %2 %8\n%5 = phi %3 %9\n%6 = iadd %5 %5\n?7 = ige %4 %1\n"
        "if ?7 { break } else { }\n%8 = iadd %4 %3\n%9 = iadd %6 %0\n}\n%10 = phi %5\nvpm_store %10\nvpm_store %6 }\n");
    for (unsigned l = 0; l < QPU_LANES; l++) {
        uint32_t v = 1;
        for (unsigned k = 0; k < l * 7 % 5; k++)
            v = 2 * v + l;
        assert_int_equal(out[l], v);
        assert_int_equal(h->vpm_out[1][l], 2 * v);
    }
}

static void uniform_loop_with_continue(void **state)
{
    struct harness *h = *state;
    fill_inputs(h);
    harness_compile(
        h, HEAD
        "%4 = uniform push data=0\n%20 = const 5\nloop {\n%5 = phi %2 %9 %9\n%6 = phi %0 %6 %11\n?8 = ige %5 %4\n"
        "if ?8 { break } else { }\n%9 = iadd %5 %3\n%10 = and %5 %3\n?12 = ine %10 %2\nif ?12 { continue } else { }\n"
        "%11 = iadd %6 %20\n}\nvpm_store %6 }\n");
    for (h->push[0] = 0; h->push[0] < 6; h->push[0]++) {
        harness_run(h);
        for (unsigned l = 0; l < QPU_LANES; l++)
            assert_int_equal(h->vpm_out[0][l], l + 5 * ((h->push[0] + 1) / 2));
    }
}

static void endless_loop_compiles(void **state)
{
    struct harness *h = *state;
    harness_compile(h, HEAD "loop {\n%4 = phi %2 %5\n%5 = iadd %4 %3\n}\n%6 = phi\nvpm_store %6 }\n");
    assert_int_equal(count_branches(h), 1);
}

/* Phis after an endless loop are never written. Many selections by one comparison read them. */
static void code_behind_an_endless_loop_compiles(void **state)
{
    struct harness *h = *state;
    enum { CHOICES = 12 };
    char text[4096] = HEAD "loop {\n%4 = phi %2 %5\n%5 = iadd %4 %3\n}\n", line[64];
    for (unsigned k = 0; k < 2 * CHOICES; k++) {
        snprintf(line, sizeof line, "%%%u = phi\n", 10 + k);
        strcat(text, line);
    }
    strcat(text, "?6 = ieq %0 %1\n");
    for (unsigned k = 0; k < CHOICES; k++) {
        snprintf(line, sizeof line, "%%%u = sel ?6 %%%u %%%u\n", 40 + k, 10 + 2 * k, 11 + 2 * k);
        strcat(text, line);
    }
    for (unsigned k = 0; k < CHOICES; k++) {
        snprintf(line, sizeof line, "vpm_store %%%u\n", 40 + k);
        strcat(text, line);
    }
    strcat(text, "}\n");
    harness_compile(h, text);
}

/* A boolean that is undefined in the first iteration still has to be true or false, not the previous contents of its
 * register: `x || !x` is true. */
static void undefined_booleans_are_true_or_false(void **state)
{
    struct harness *h = *state;
    fill_inputs(h);
    const uint32_t *out = harness_word(
        h, HEAD "?4 = undef\n?5 = const 1\n%6 = const 0x4b000000\n%7 = iadd %0 %6\nvpm_store %7\n"
                "loop {\n?8 = phi ?4 ?12\n?9 = phi ?5 ?12\n%10 = phi %2 %13\n?11 = bor ?9 ?8\n?14 = bnot ?9\n?12 = bor "
                "?14 ?11\n"
                "%13 = iadd %10 %3\n%15 = const 4\n?16 = ige %13 %15\nif ?16 { break } else { }\n}\n?17 = phi ?12\n"
                "?18 = ilt %0 %1\n?19 = bxor ?17 ?18\n%20 = sel ?19 %3 %2\nvpm_store %20 }\n");
    for (unsigned l = 0; l < QPU_LANES; l++) {
        assert_int_equal(out[l], l + 0x4b000000);
        assert_int_equal(h->vpm_out[1][l], l >= l * 7 % 5);
    }
}

/* A program with `live` values that are live at once and used again in reverse order. */
static void pressure_text(char *text, size_t size_B, unsigned live)
{
    size_t n = (size_t)snprintf(text, size_B,
                                "shader vertex\nattribute 0 0 4\n{\n%%0 = attribute [0 0]\n%%1 = const 3\n"
                                "%%2 = const 7\n");
    for (unsigned k = 0; k < live; k++)
        n += (size_t)snprintf(text + n, size_B - n, "%%%u = %s %%%u %%%u\n", 10 + k, k % 2 ? "iadd" : "xor",
                              k ? 9 + k : 0, 1 + k % 2);
    unsigned sum = 9 + live, next = 1000;
    for (unsigned k = live - 1; k-- > 0; sum = next + 1, next += 2)
        n += (size_t)snprintf(text + n, size_B - n, "%%%u = ror %%%u %%1\n%%%u = xor %%%u %%%u\n", next, sum, next + 1,
                              next, 10 + k);
    snprintf(text + n, size_B - n, "vpm_store %%%u\n}\n", sum);
}

/* The number of file registers: of the chip, or of the stress mode VC4VK_DEBUG=few-registers. */
static unsigned file_registers(void)
{
    return util_debug(UTIL_DEBUG_FEW_REGISTERS) ? 40 : 64;
}

static void pressure_runs(struct harness *h, unsigned live)
{
    static char text[16384];
    pressure_text(text, sizeof text, live);
    harness_word(h, text);
    for (unsigned l = 0; l < QPU_LANES; l++) {
        uint32_t v[80], x = h->vpm_in[0][l];
        for (unsigned k = 0; k < live; k++)
            v[k] = x = k % 2 ? x + 7 : x ^ 3;
        for (unsigned k = live - 1; k-- > 0;)
            x = (x >> 3 | x << 29) ^ v[k];
        assert_int_equal(h->vpm_out[0][l], x);
    }
}

static void all_registers(void **state)
{
    for (unsigned live = 16; live <= file_registers(); live += 8)
        pressure_runs(*state, live);
}

/* A loop of three iterations with `live` counters, which cannot be rematerialised. */
static void counters_text(char *text, size_t size_B, const char *row, unsigned live)
{
    size_t n = (size_t)snprintf(text, size_B,
                                "shader vertex\n%sattribute 0 0 4\n{\n%%0 = attribute [0 0]\n%%1 = const 3\n"
                                "%%2 = const 1\n%%3 = const 0\nloop {\n%%4 = phi %%3 %%5\n",
                                row);
    for (unsigned k = 0; k < live; k++)
        n += (size_t)snprintf(text + n, size_B - n, "%%%u = phi %%0 %%%u\n", 100 + k, 300 + k);
    n += (size_t)snprintf(text + n, size_B - n, "?6 = ige %%4 %%1\nif ?6 { break } else {}\n%%5 = iadd %%4 %%2\n");
    for (unsigned k = 0; k < live; k++)
        n += (size_t)snprintf(text + n, size_B - n, "%%%u = const %u\n%%%u = xor %%%u %%%u\n%%%u = iadd %%%u %%4\n",
                              500 + k, k, 700 + k, 100 + k, 500 + k, 300 + k, 700 + k);
    n += (size_t)snprintf(text + n, size_B - n, "}\n");
    for (unsigned k = 0; k < live; k++)
        n += (size_t)snprintf(text + n, size_B - n, "%%%u = phi %%%u\n", 900 + k, 100 + k);
    for (unsigned k = 0; k < live; k += 2)
        n += (size_t)snprintf(text + n, size_B - n, "%%%u = xor %%%u %%%u\nvpm_store %%%u\n", 1100 + k, 900 + k,
                              900 + (k + 1) % live, 1100 + k);
    snprintf(text + n, size_B - n, "}\n");
}

static void too_many_values_do_not_fit(void **state)
{
    static char text[65536];
    counters_text(text, sizeof text, "", 75);
    assert_int_equal(harness_try_compile(*state, text), VC4C_DOES_NOT_FIT);
}

/* On the CPU engine values are spilled to memory. */
static void too_many_values_spill(void **state)
{
    struct harness *h = *state;
    const unsigned live = file_registers() + 16;
    static char text[65536];
    counters_text(text, sizeof text, "engine\n", live);
    for (unsigned l = 0; l < QPU_LANES; l++)
        h->vpm_in[0][l] = 1000 * l;
    harness_compile(h, text);
    assert_true(h->program.stats.spill_rows > 0);
    harness_run(h);
    for (unsigned k = 0; k < live; k += 2) {
        for (unsigned l = 0; l < QPU_LANES; l++) {
            uint32_t x = 1000 * l, y = x;
            for (unsigned i = 0; i < 3; i++) {
                x = (x ^ k) + i;
                y = (y ^ (k + 1)) + i;
            }
            assert_int_equal(h->vpm_out[k / 2][l], x ^ y);
        }
    }
}

/* More live values than registers: values are rematerialised where possible. */
static void values_are_made_anew(void **state)
{
    pressure_runs(*state, file_registers() + 11);
}

/* A program that needs more than half of the registers is compiled with one thread instead of being refused. */
static void threads_are_given_up_first(void **state)
{
    struct harness *h = *state;
    static char text[16384], all[20000];
    for (unsigned k = 0; k < 2; k++) {
        unsigned registers = file_registers(), live = k ? registers - 14 : registers / 2 - 6;
        pressure_text(text, sizeof text, live);
        char *body = strstr(text, "%1 = const 3"), *end = strstr(text, "vpm_store");
        *end = 0;
        snprintf(all, sizeof all,
                 "shader fragment\ntexture 0 0 0 0 0 0 0\n{\n%%0 = frag_x\n%s%%9 = itof %%0\n"
                 "%%3 = tex texture=0 (tex_p0) (tex_p1) %%9 %%9\n%%4 = xor %%3 %%%u\n?5 = const 1\n"
                 "tlb_color_store %%4 ?5\n}\n",
                 body, 1000 + 2 * (live - 1) - 1);
        harness_compile(h, all);
        assert_int_equal(h->program.threaded, live < registers / 2);
    }
}

/* -- host memory -- */

struct counted {
    unsigned left, live;
};

static void *counted_alloc(void *data, size_t size_B, size_t align_B)
{
    struct counted *c = data;
    (void)align_B;
    if (!c->left)
        return NULL;
    c->left--;
    c->live++;
    return malloc(size_B);
}

static void counted_free(void *data, void *ptr)
{
    struct counted *c = data;
    c->live -= ptr != NULL;
    free(ptr);
}

static void every_allocation_may_fail(void **state)
{
    static char text[16384];
    enum vc4c_result result = VC4C_OUT_OF_MEMORY;
    unsigned failures = 0;
    (void)state;
    pressure_text(text, sizeof text, 30);
    for (unsigned n = 1; result != VC4C_OK; n++) {
        struct counted c = {.left = UINT32_MAX};
        struct util_alloc alloc = {&c, counted_alloc, counted_free};
        struct util_arena arena;
        struct vc4c_program program;
        struct vc4c_error why;
        char error[256];
        util_arena_init(&arena, &alloc);
        struct ir_shader *s = ir_parse(&arena, text, error, sizeof error);
        assert_non_null(s);
        c.left = n - 1;
        result = qc_compile(s, &(struct qc_options){0}, &alloc, &program, &why);
        util_arena_finish(&arena);
        if (result == VC4C_OK) {
            counted_free(&c, program.code);
            counted_free(&c, program.uniforms);
            counted_free(&c, program.lookups);
            counted_free(&c, program.origins);
        } else {
            assert_int_equal(result, VC4C_OUT_OF_MEMORY);
            failures++;
        }
        assert_int_equal(c.live, 0);
    }
    assert_true(failures > 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(small_ifs_do_not_branch, harness_setup, harness_teardown),
        cmocka_unit_test_setup_teardown(uniform_ifs_branch, harness_setup, harness_teardown),
        cmocka_unit_test_setup_teardown(divergent_ifs_skip_when_nobody_runs, harness_setup, harness_teardown),
        cmocka_unit_test_setup_teardown(divergent_loop, harness_setup, harness_teardown),
        cmocka_unit_test_setup_teardown(uniform_loop_with_continue, harness_setup, harness_teardown),
        cmocka_unit_test_setup_teardown(endless_loop_compiles, harness_setup, harness_teardown),
        cmocka_unit_test_setup_teardown(code_behind_an_endless_loop_compiles, harness_setup, harness_teardown),
        cmocka_unit_test_setup_teardown(undefined_booleans_are_true_or_false, harness_setup, harness_teardown),
        cmocka_unit_test_setup_teardown(all_registers, harness_setup, harness_teardown),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test_setup_teardown(too_many_values_do_not_fit, harness_setup, harness_teardown),
        cmocka_unit_test_setup_teardown(too_many_values_spill, harness_setup, harness_teardown),
        cmocka_unit_test_setup_teardown(values_are_made_anew, harness_setup, harness_teardown),
        cmocka_unit_test_setup_teardown(threads_are_given_up_first, harness_setup, harness_teardown),
    };
    return cmocka_run_group_tests_name("compiler_qpu_flow", tests, NULL, NULL);
}
