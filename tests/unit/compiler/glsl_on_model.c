/* SPDX-License-Identifier: MIT
 *
 * Compiles the shaders of glsl/ to QPU code and runs them on the model's interpreter. The chip's arithmetic, with its
 * rounding and its SFU, has to produce the numbers in the shaders' comments. The build also runs this test with the
 * worst-case error of the SFU.
 *
 * The fragment shaders run as vertex programs, so that all 32 bits of a result are compared (as_vertex.h).
 */
#include <stdlib.h>
#include "../compiler_qpu/harness.h"
#include "as_vertex.h"
#include "glsl_expect.h"

static char **arguments;
static int argument_count;

/* ---------------------------------------------------------------- running */

static bool run_shader(struct harness *h, const char *source, const char *spv)
{
    struct expected e;
    char *text = as_vertex_file(spv);
    if (!text || !glsl_read(source, &e)) {
        free(text);
        return true;
    }
    harness_compile(h, text);
    memcpy(h->push, e.push, sizeof h->push);
    memcpy(h->mem.base + HARNESS_DATA, e.buffer, sizeof e.buffer);
    h->buffer_size_B = 4 * MAX2(e.buffer_words, 1u);
    as_vertex_inputs(h);
    harness_run(h);
    bool ok = glsl_check(source, &e, (const uint32_t(*)[QPU_LANES])h->vpm_out);
    if (!ok && getenv("VERBOSE"))
        printf("%s\n", text);
    free(text);
    return ok;
}

static void corpus(void **state)
{
    int failed = 0;
    for (int i = 1; i + 1 < argument_count; i += 2)
        failed += !run_shader(*state, arguments[i], arguments[i + 1]);
    assert_int_equal(failed, 0);
}

int main(int argc, char **argv)
{
    arguments = argv;
    argument_count = argc;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(corpus, harness_setup, harness_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
