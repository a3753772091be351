/* SPDX-License-Identifier: MIT
 *
 * Tests the trace file: it is complete JSON after every event, and its tracks and spans are right.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "util/trace.h"

static char path[] = "/tmp/vc4vk-trace-XXXXXX";
static char text[8192];

static const char *read_file(const char *name)
{
    FILE *f = fopen(name, "r");
    assert_non_null(f);
    size_t size_B = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[size_B] = 0;
    return text;
}

/* Brackets and braces match outside of strings, and nothing follows. */
static void assert_is_complete(const char *json)
{
    int depth = 0;
    bool in_string = false;
    for (const char *c = json; *c; c++) {
        if (in_string && *c == '\\')
            c++;
        else if (*c == '"')
            in_string = !in_string;
        else if (!in_string && strchr("[{", *c))
            depth++;
        else if (!in_string && strchr("]}", *c))
            assert_true(--depth > 0 || strcmp(c, "]\n") == 0);
    }
    assert_int_equal(depth, 0);
    assert_false(in_string);
}

static void every_event_leaves_a_complete_file(void **state)
{
    assert_true(util_trace_is_on());
    assert_string_equal(read_file(path), "[\n]\n");
    uint32_t queue = util_trace_track("a \"queue\"\n"), chip = util_trace_track("chip");
    assert_int_not_equal(queue, chip);
    assert_is_complete(read_file(path));
    util_trace_span(chip, "job", 1234567, 2234568, "\"value\": 3");
    assert_is_complete(read_file(path));
    assert_non_null(strstr(text, "\"name\": \"a \\\"queue\\\"\\u000a\""));
    assert_non_null(strstr(text, "\"ts\": 1234.567, \"dur\": 1000.001, \"args\": {\"value\": 3}"));
    util_trace_overlapping_span(queue, "a", "one", 1000, 3000, NULL);
    util_trace_overlapping_span(queue, "a", "two", 2000, 4000, NULL);
    assert_is_complete(read_file(path));
    assert_non_null(strstr(text, "\"ph\": \"b\""));
    assert_non_null(strstr(text, "\"ts\": 4.000, \"cat\": \"a\", \"id\": 2"));
}

static void renamed_tracks_keep_their_number(void **state)
{
    char expected[64];
    uint32_t track = util_trace_track("before");
    util_trace_rename_track(track, "after");
    assert_is_complete(read_file(path));
    snprintf(expected, sizeof expected, "\"tid\": %u, \"args\": {\"name\": \"after\"}", track);
    assert_non_null(strstr(text, expected));
}

/* A forked child writes its own file, named after its process id, because it shares the file offset of its parent's. */
static void children_have_their_own_file(void **state)
{
    char own[64];
    int status;
    uint32_t track = util_trace_track("parent");
    pid_t child = fork();
    if (!child) {
        const bool is_on = util_trace_is_on();
        util_trace_span(util_trace_track("child"), "of the child", 1000, 2000, NULL);
        _exit(!is_on);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    util_trace_span(track, "of the parent", 3000, 4000, NULL);
    assert_is_complete(read_file(path));
    assert_non_null(strstr(text, "of the parent"));
    assert_null(strstr(text, "of the child"));
    snprintf(own, sizeof own, "%s.%ld", path, (long)child);
    assert_is_complete(read_file(own));
    assert_non_null(strstr(text, "of the child"));
    assert_null(strstr(text, "of the parent"));
    unlink(own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_event_leaves_a_complete_file), cmocka_unit_test(renamed_tracks_keep_their_number),
        cmocka_unit_test(children_have_their_own_file)};
    int fd = mkstemp(path);
    if (fd < 0 || setenv("VC4VK_TRACE", path, 1))
        return 1;
    close(fd);
    int failed = cmocka_run_group_tests_name("util_trace", tests, NULL, NULL);
    unlink(path);
    return failed;
}
