/* SPDX-License-Identifier: MIT
 *
 * Compute shaders that read and write buffers, on the model.
 */
#include "harness.h"

static void stores(void **state)
{
    struct harness *h = *state;
    uint32_t *out = harness_alloc(h, 4 * 65);
    out[64] = 77;
    harness_bind(h, 0, 0, out, 4 * 64);
    harness_dispatch(h, "store", NULL, 0, 5, 1, 1); /* the fifth group is out of bounds */
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(out[i], 3 * i + 1);
    assert_int_equal(out[64], 77);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, harness_setup, harness_teardown)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {TEST(stores)};
    harness_args = argv;
    harness_arg_count = argc;
    return cmocka_run_group_tests_name("compiler_engine_buffers", tests, NULL, NULL);
}
