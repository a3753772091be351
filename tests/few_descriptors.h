/* SPDX-License-Identifier: MIT
 *
 * For tests: a process that has no file descriptors left, or only so many.
 */
#ifndef TESTS_FEW_DESCRIPTORS_H
#define TESTS_FEW_DESCRIPTORS_H

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <unistd.h>
#include <cmocka.h>

#define FEW_DESCRIPTORS 64 /* that the process may have, those it has included */

struct taken_descriptors {
    struct rlimit limit; /* as it was */
    int fds[FEW_DESCRIPTORS], count;
};

/* Takes every descriptor that the process may have, but for `free_count` of them. */
static inline void take_descriptors(struct taken_descriptors *taken, int free_count)
{
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &taken->limit), 0);
    const struct rlimit few = {FEW_DESCRIPTORS, taken->limit.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    taken->count = 0;
    for (int fd; (fd = open("/dev/null", O_RDWR | O_CLOEXEC)) >= 0;)
        taken->fds[taken->count++] = fd;
    assert_true(taken->count > free_count);
    while (free_count--)
        close(taken->fds[--taken->count]);
}

static inline void give_descriptors_back(struct taken_descriptors *taken)
{
    while (taken->count)
        close(taken->fds[--taken->count]);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &taken->limit), 0);
}

#endif
