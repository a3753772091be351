/* SPDX-License-Identifier: MIT
 *
 * Tests util/memfd.h: memory files are created with a sealed size, and only files with a sealed size are accepted.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "util/memfd.h"

static void the_size_is_sealed(void **state)
{
    uint64_t size_B = 0;
    int fd = util_memfd_create("test", 12345);
    assert_true(fd >= 0);
    assert_true(util_memfd_is_sealed(fd, &size_B));
    assert_int_equal(size_B, 12345);
    assert_int_not_equal(ftruncate(fd, 0), 0);
    assert_int_not_equal(ftruncate(fd, 1 << 20), 0);
    assert_int_not_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE), 0);
    assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
    close(fd);
}

static void other_files_are_not(void **state)
{
    uint64_t size_B;
    char path[] = "/tmp/vc4vk-memfd-XXXXXX";
    int pipe_fds[2];
    int files[] = {open("/dev/null", O_RDWR | O_CLOEXEC), open("/proc/self/exe", O_RDONLY | O_CLOEXEC),
                   memfd_create("test", MFD_CLOEXEC), memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING),
                   mkostemp(path, O_CLOEXEC)};
    unlink(path);
    for (unsigned i = 0; i < ARRAY_SIZE(files); i++) {
        assert_true(files[i] >= 0);
        assert_false(util_memfd_is_sealed(files[i], &size_B));
    }
    assert_int_equal(pipe2(pipe_fds, O_CLOEXEC), 0);
    assert_false(util_memfd_is_sealed(pipe_fds[0], &size_B));
    assert_false(util_memfd_is_sealed(-1, &size_B));
    assert_int_equal(fcntl(files[3], F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW), 0);
    assert_false(util_memfd_is_sealed(files[3], &size_B));
    assert_int_equal(fcntl(files[3], F_ADD_SEALS, F_SEAL_SEAL), 0);
    assert_true(util_memfd_is_sealed(files[3], &size_B));
    assert_int_equal(size_B, 0);
    for (unsigned i = 0; i < ARRAY_SIZE(files); i++)
        close(files[i]);
    close(pipe_fds[0]);
    close(pipe_fds[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_size_is_sealed),
        cmocka_unit_test(other_files_are_not),
    };
    return cmocka_run_group_tests_name("memfd", tests, NULL, NULL);
}
