/* SPDX-License-Identifier: MIT
 *
 * Source lines of programs on the page: what each line costs, in texts that number their lines themselves, in hostile
 * texts, and where the text is unknown.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "hw/qpu.h"
#include "inspect/inspect_page.h"

#define COUNT 6

struct fixture {
    struct inspect_program_info info;
    struct inspect_source_file files[3];
    struct inspect_line lines[COUNT];
    uint64_t words[COUNT], executed[COUNT];
    struct inspect_page_program program;
    struct inspect_page page;
    struct inspect_text out;
};

static uint64_t lookup_word(void)
{
    struct qpu_instr in = qpu_nop();
    in.op_add = QPU_A_OR;
    in.cond_add = QPU_COND_ALWAYS;
    in.waddr_add = QPU_W_TMU0_S;
    return qpu_encode(&in);
}

/* A program of six instructions with these lines of file 0 (0: unknown), executed 10, 20, ... times. The last one
 * begins a texture lookup. */
static void init(struct fixture *f, const char *text, const uint32_t lines[COUNT])
{
    const struct qpu_instr nop = qpu_nop();
    memset(f, 0, sizeof *f);
    f->files[0] = (struct inspect_source_file){(char *)"a.frag", (char *)text};
    f->info = (struct inspect_program_info){.count = COUNT, .files = f->files, .file_count = 1, .lines = f->lines};
    f->program = (struct inspect_page_program){
        .count = COUNT, .words = f->words, .executed = f->executed, .info = &f->info, .runs = 10};
    for (uint32_t i = 0; i < COUNT; i++) {
        f->lines[i] = (struct inspect_line){0, lines[i]};
        f->words[i] = i + 1 == COUNT ? lookup_word() : qpu_encode(&nop);
        f->executed[i] = 10 * (i + 1);
        f->program.instrs += f->executed[i];
    }
    f->page = (struct inspect_page){.out = &f->out, .programs = &f->program, .program_count = 1};
}

/* Writes the source and returns it as a string that the caller frees. */
static char *put(struct fixture *f)
{
    inspect_put_source(&f->page, 0);
    inspect_put_bytes(&f->out, "", 1);
    assert_false(f->out.failed);
    return f->out.data;
}

/* The row with the id has the line's number, its cost and its text. */
static void expect_row(const char *page, const char *id, const char *cost, const char *text)
{
    char begin[64];
    snprintf(begin, sizeof begin, "<tr id=%s>", id);
    const char *row = strstr(page, begin);
    if (!row)
        fail_msg("no row %s in %s", id, page);
    const char *end = strstr(row + 4, "<tr");
    end = end ? end : row + strlen(row);
    const char *found_cost = strstr(row, cost), *found_text = strstr(row, text);
    if (!found_cost || found_cost > end || !found_text || found_text > end)
        fail_msg("row %s lacks \"%s\" or \"%s\": %.*s", id, cost, text, (int)(end - row), row);
}

static void costs_of_lines(void **state)
{
    struct fixture f;
    uint32_t count;
    init(&f, "one\ntwo <b>\nthree\n", (const uint32_t[]){2, 3, 2, 0, 3, 3});
    struct inspect_line_cost *costs = inspect_line_costs(&f.program, &count);
    assert_int_equal(count, 3);
    assert_int_equal(costs[0].line, 0); /* unknown */
    assert_int_equal(costs[0].executed, 40);
    assert_int_equal(costs[1].line, 2);
    assert_int_equal(costs[1].instrs, 2);
    assert_int_equal(costs[1].executed, 10 + 30);
    assert_int_equal(costs[2].line, 3);
    assert_int_equal(costs[2].executed, 20 + 50 + 60);
    assert_int_equal(costs[2].lookups, 16 * 60);
    free(costs);
    char *page = put(&f);
    expect_row(page, "p1f0l2", "<td class=n>2<td class=n>40<td class=n>19.0", "two &lt;b&gt;");
    expect_row(page, "p1f0l3", "<td class=n>3<td class=n>130<td class=n>61.9&#8239;%<td class=n>960", "three");
    assert_non_null(strstr(page, ">1<td class=n>40<td class=n>19.0&#8239;%<td class=n><td>")); /* the unknown one */
    assert_non_null(strstr(page, "of no line"));
    assert_non_null(strstr(page, "one")); /* lines without code are shown, too */
    free(page);
}

/* Compilers put lines of their own in front; preprocessors join files. */
static void texts_that_number_their_lines(void **state)
{
    struct fixture f;
    init(&f,
         "// made by a compiler\n// and more\n#line 1\nfirst\nsecond\n# 1 \"b.h\"\nof b\n#line 7 \"a.frag\"\nseventh\n"
         "#line 1 \"unknown.h\"\nof nothing\n",
         (const uint32_t[]){1, 2, 2, 7, 1, 1});
    f.files[1] = (struct inspect_source_file){(char *)"b.h", NULL};
    f.info.file_count = 2;
    f.lines[4].file = 1;
    char *page = put(&f);
    expect_row(page, "p1f0l1", "<td class=n>70<", "first");
    expect_row(page, "p1f0l2", "<td class=n>50<", "second");
    expect_row(page, "p1f0l7", "<td class=n>40<", "seventh");
    expect_row(page, "p1f1l1", "<td class=n>50<", "of b");
    assert_null(strstr(page, "of no line"));
    free(page);
}

static void lines_that_the_text_does_not_have(void **state)
{
    struct fixture f;
    init(&f, NULL, (const uint32_t[]){5, 5, 4000000000, 0, 5, 5});
    char *page = put(&f);
    expect_row(page, "p1f0l5", "<td class=n>4<td class=n>140<", "a.frag");
    expect_row(page, "p1f0l4000000000", "<td class=n>30<", "a.frag");
    free(page);
    init(&f, "only one line", (const uint32_t[]){1, 2, 1, 1, 1, 1});
    page = put(&f);
    expect_row(page, "p1f0l1", "<td class=n>190<", "only one line");
    expect_row(page, "p1f0l2", "<td class=n>20<", "a.frag");
    free(page);
}

/* Only what is near code is shown of a long text. */
static void long_texts(void **state)
{
    static char text[1000 * 8 + 1];
    struct fixture f;
    for (uint32_t i = 0; i < 1000; i++)
        snprintf(text + 8 * i, 9, "row%04u\n", i + 1);
    init(&f, text, (const uint32_t[]){500, 500, 500, 500, 500, 900});
    char *page = put(&f);
    expect_row(page, "p1f0l500", "<td class=n>150<", "row0500");
    assert_non_null(strstr(page, "row0494"));
    assert_null(strstr(page, "row0493"));
    assert_non_null(strstr(page, "row0906"));
    assert_null(strstr(page, "row0907"));
    assert_non_null(strstr(page, "493 lines without code"));
    free(page);
}

static void hostile_texts(void **state)
{
    static const char *const texts[] = {
        "",
        "\n",
        "#",
        "#line",
        "#line \n",
        "#line 99999999999999999999\nx\n",
        "#line 1 \"\n",
        "#line 1 \"\"\nx",
        "# 0\nx\n",
        "\x80\xff<script>\n\"'&\n",
        "#line 4294967295\nx\ny\n",
        "#line 2\n#line 2\n#line 2\nx",
        "\r\n\r\n",
    };
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        struct fixture f;
        init(&f, texts[i], (const uint32_t[]){1, 2, 3, UINT32_MAX, 0, 1});
        char *page = put(&f);
        assert_null(strstr(page, "<script>"));
        const char *row = strstr(page, "<tr id=p1f0l1>"); /* every line has exactly one row */
        assert_non_null(row);
        assert_null(strstr(row + 1, "<tr id=p1f0l1>"));
        free(page);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(costs_of_lines),
        cmocka_unit_test(texts_that_number_their_lines),
        cmocka_unit_test(lines_that_the_text_does_not_have),
        cmocka_unit_test(long_texts),
        cmocka_unit_test(hostile_texts),
    };
    return cmocka_run_group_tests_name("inspect_source", tests, NULL, NULL);
}
