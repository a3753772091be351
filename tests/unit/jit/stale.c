/* SPDX-License-Identifier: MIT
 *
 * stale SAME OTHER: the driver uses a libvc4vk_jit.so that was built from the same source tree (SAME). It refuses one
 * from another tree (OTHER) with a warning, even if its structs have the same sizes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "model/gpu/gpu_qpu_state.h"
#include "model/jit/jit_library.h"
#include "util/log.h"

static const char *same, *other;

static void look_for_warning(void *data, enum util_log_level level, const char *line)
{
    if (strstr(line, "belongs to another build"))
        *(bool *)data = true;
}

/* Runs in a child process, because a process loads only one library. */
static void expect(const char *path, bool is_used)
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        bool has_warned = false;
        util_log_set_sink(look_for_warning, &has_warned);
        setenv("VKT_JIT", path, 1);
        const bool got = jit_library_begin(gpu_qpu_jit_calls()) != NULL;
        _exit(got == is_used && has_warned == !is_used ? 0 : 1 + got + 2 * has_warned);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void same_tree(void **state)
{
    expect(same, true);
}

static void another_tree(void **state)
{
    expect(other, false);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_tree), cmocka_unit_test(another_tree)};
    if (argc != 3)
        return 2;
    same = argv[1];
    other = argv[2];
    return cmocka_run_group_tests_name("jit_stale", tests, NULL, NULL);
}
