/* SPDX-License-Identifier: MIT
 *
 * Shows the source code of a program with what each line costs: the number of QPU instructions that were compiled from
 * it, how often they were executed, and the texture lookups that they made.
 *
 * A text may number its lines itself (#line N, or N "FILE" where preprocessors have joined files), so a line of the
 * debug information is found by the number that the text gives it. Compilers put lines of their own before a first
 * "#line 1"; where a number occurs twice, the later line is the one.
 */
#include <stdlib.h>
#include <string.h>
#include "hw/qpu.h"
#include "inspect/inspect_page.h"

#define NO_ROW       UINT32_MAX
#define WHOLE_MAX    300u /* rows of a text that is shown whole; of longer ones only the surroundings of code are */
#define CONTEXT_ROWS 6u   /* rows shown around one with code */

/* A line of the text as shown. */
struct row {
    const char *text;
    size_t size_B;
    uint32_t file, number;                /* number 0: no line of any file */
    const struct inspect_line_cost *cost; /* NULL: no code */
};

struct rows {
    struct row *all;
    uint32_t count;
};

/* -- costs of lines ----------------------------------------------------------------------------------------------- */

static int compare_costs(const void *a, const void *b)
{
    const struct inspect_line_cost *x = a, *y = b;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    return x->line == y->line ? 0 : x->line < y->line ? -1 : 1;
}

static bool starts_lookup(uint64_t word)
{
    const struct qpu_instr in = qpu_decode(word);
    if (in.sig == QPU_SIG_BRANCH)
        return false;
    const bool adds = in.cond_add != QPU_COND_NEVER && (in.waddr_add == QPU_W_TMU0_S || in.waddr_add == QPU_W_TMU1_S);
    const bool muls = in.cond_mul != QPU_COND_NEVER && (in.waddr_mul == QPU_W_TMU0_S || in.waddr_mul == QPU_W_TMU1_S);
    return adds || muls;
}

struct inspect_line_cost *inspect_line_costs(const struct inspect_page_program *p, uint32_t *count_out)
{
    struct inspect_line_cost *costs = calloc(MAX2(p->count, 1u), sizeof *costs);
    uint32_t count = 0;
    *count_out = 0;
    if (!costs || !p->info || !p->info->lines) {
        free(costs);
        return NULL;
    }
    for (uint32_t n = 0; n < p->count; n++) {
        const struct inspect_line line = n < p->info->count ? p->info->lines[n] : (struct inspect_line){0};
        costs[n] = (struct inspect_line_cost){.file = line.file,
                                              .line = line.line,
                                              .instrs = 1,
                                              .executed = p->executed[n],
                                              .lookups = starts_lookup(p->words[n]) ? 16 * p->executed[n] : 0};
    }
    qsort(costs, p->count, sizeof *costs, compare_costs);
    for (uint32_t n = 0; n < p->count; n++) {
        if (count && !compare_costs(&costs[count - 1], &costs[n])) {
            costs[count - 1].instrs++;
            costs[count - 1].executed += costs[n].executed;
            costs[count - 1].lookups += costs[n].lookups;
        } else {
            costs[count++] = costs[n];
        }
    }
    *count_out = count;
    return costs;
}

/* -- texts as rows ------------------------------------------------------------------------------------------------ */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && is_blank(*at))
        at++;
    return at;
}

/* Reads "#line N" and "# N", perhaps with "FILE" behind. `file` is the file that the text itself is of. */
static bool read_directive(const struct inspect_program_info *info, uint32_t file, const struct row *row,
                           uint32_t *file_out, uint32_t *number_out)
{
    const char *end = row->text + row->size_B, *at = skip_blanks(row->text, end);
    if (at == end || *at++ != '#')
        return false;
    at = skip_blanks(at, end);
    if (end - at > 4 && !memcmp(at, "line", 4))
        at = skip_blanks(at + 4, end);
    if (at == end || *at < '0' || *at > '9')
        return false;
    uint32_t number = 0;
    while (at < end && *at >= '0' && *at <= '9' && number < 100000000)
        number = 10 * number + (uint32_t)(*at++ - '0');
    *file_out = file;
    *number_out = number;
    at = skip_blanks(at, end);
    const char *close = at < end && *at == '"' ? memchr(at + 1, '"', (size_t)(end - at - 1)) : NULL;
    if (!close)
        return true;
    const size_t name_B = (size_t)(close - at - 1);
    *file_out = UINT32_MAX;
    for (uint32_t i = 0; i < info->file_count; i++) {
        const char *name = info->files[i].name;
        if (!strncmp(name, at + 1, name_B) && !name[name_B] && (i == file || !info->files[i].text))
            *file_out = i;
    }
    return true;
}

static bool split(const struct inspect_program_info *info, uint32_t file, struct rows *rows)
{
    const char *at = info->files[file].text;
    const char *const end = at + strlen(at);
    uint32_t count = 1, of = file, number = 1;
    for (const char *c = at; c < end; c++)
        count += *c == '\n';
    rows->all = calloc(count, sizeof *rows->all);
    if (!rows->all)
        return false;
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        struct row *row = &rows->all[rows->count++];
        *row = (struct row){.text = at, .size_B = (size_t)((newline ? newline : end) - at), .file = of};
        if (!read_directive(info, file, row, &of, &number))
            row->number = number++;
        at = newline ? newline + 1 : end;
    }
    return true;
}

/* Gives each cost the last row with its number. */
static void place_costs(struct rows *rows, struct inspect_line_cost *costs, uint32_t count)
{
    for (uint32_t i = rows->count; i-- > 0;) {
        struct row *row = &rows->all[i];
        const struct inspect_line_cost key = {.file = row->file, .line = row->number};
        struct inspect_line_cost *cost = row->number ? bsearch(&key, costs, count, sizeof *costs, compare_costs) : NULL;
        if (cost && !cost->is_shown) {
            cost->is_shown = true;
            row->cost = cost;
        }
    }
}

/* -- the page ----------------------------------------------------------------------------------------------------- */

void inspect_put_line_id(struct inspect_text *out, uint32_t index, const struct inspect_line *line)
{
    inspect_putf(out, "p%uf%ul%u", index + 1, line->file, line->line);
}

struct source {
    const struct inspect_page *page;
    const struct inspect_page_program *p;
    uint32_t index; /* of the program */
    struct inspect_line_cost *costs;
    uint32_t cost_count;
    uint64_t most;
};

/* The columns of a line's cost. NULL: no code. */
static void put_cost(const struct source *s, const struct inspect_line_cost *cost)
{
    struct inspect_text *out = s->page->out;
    if (!cost) {
        inspect_put(out, "<td class=n><td class=n><td class=n><td class=n><td>");
        return;
    }
    inspect_putf(out, "<td class=n>%u<td class=n>", cost->instrs);
    inspect_put_number(out, cost->executed);
    inspect_putf(out, "<td class=n>%.1f&#8239;%%<td class=n>",
                 s->p->instrs ? 100 * (double)cost->executed / (double)s->p->instrs : 0);
    if (cost->lookups)
        inspect_put_number(out, cost->lookups);
    inspect_putf(out, "<td><i class=bar style=\"--w:%.1f%%\"></i>",
                 s->most ? 100 * (double)cost->executed / (double)s->most : 0);
}

static void begin_row(const struct source *s, const struct inspect_line_cost *cost)
{
    struct inspect_text *out = s->page->out;
    inspect_put(out, "<tr");
    if (cost && cost->line) {
        inspect_put(out, " id=");
        inspect_put_line_id(out, s->index, &(struct inspect_line){cost->file, cost->line});
    }
    inspect_put(out, cost ? ">" : " class=never>");
}

static void put_row(const struct source *s, const struct row *row)
{
    struct inspect_text *out = s->page->out;
    begin_row(s, row->cost);
    inspect_put(out, "<td class=n>");
    if (row->number)
        inspect_putf(out, "%u", row->number);
    put_cost(s, row->cost);
    inspect_put(out, "<td><code class=text>");
    char *copy = strndup(row->text, row->size_B);
    inspect_put_text(out, copy);
    free(copy);
    inspect_put(out, "</code>");
}

static bool is_near_code(const struct rows *rows, uint32_t i)
{
    const uint32_t first = i > CONTEXT_ROWS ? i - CONTEXT_ROWS : 0;
    for (uint32_t k = first; k < rows->count && k <= i + CONTEXT_ROWS; k++)
        if (rows->all[k].cost)
            return true;
    return false;
}

static void put_rows(const struct source *s, const struct rows *rows)
{
    uint32_t hidden = 0;
    for (uint32_t i = 0; i < rows->count; i++) {
        if (rows->count > WHOLE_MAX && !is_near_code(rows, i)) {
            hidden++;
            continue;
        }
        if (hidden)
            inspect_putf(s->page->out, "<tr class=never><td colspan=6><td>%u lines without code", hidden);
        hidden = 0;
        put_row(s, &rows->all[i]);
    }
    if (hidden)
        inspect_putf(s->page->out, "<tr class=never><td colspan=6><td>%u lines without code", hidden);
}

/* Lines that the module does not hold the text of, and the instructions whose line is unknown. */
static void put_rest(const struct source *s)
{
    struct inspect_text *out = s->page->out;
    for (uint32_t i = 0; i < s->cost_count; i++) {
        const struct inspect_line_cost *cost = &s->costs[i];
        if (cost->is_shown)
            continue;
        begin_row(s, cost);
        inspect_put(out, "<td class=n>");
        if (cost->line)
            inspect_putf(out, "%u", cost->line);
        put_cost(s, cost);
        inspect_put(out, "<td>");
        inspect_put_text(out, cost->line ? s->p->info->files[cost->file].name : "of no line");
    }
}

static void begin_table(const struct source *s, const char *name)
{
    struct inspect_text *out = s->page->out;
    inspect_put(out, "<table class=\"code source\"><thead><tr><th>line<th>instructions<th>executed<th>share<th>lookups"
                     "<th><th>");
    inspect_put_text(out, name);
    inspect_put(out, "<tbody>");
}

static void put_file(const struct source *s, uint32_t file)
{
    struct rows rows = {NULL, 0};
    if (!split(s->p->info, file, &rows)) {
        s->page->out->failed = true;
        return;
    }
    place_costs(&rows, s->costs, s->cost_count);
    begin_table(s, s->p->info->files[file].name);
    put_rows(s, &rows);
    inspect_put(s->page->out, "</table>\n");
    free(rows.all);
}

void inspect_put_source(const struct inspect_page *page, uint32_t index)
{
    struct source s = {.page = page, .p = &page->programs[index], .index = index};
    s.costs = inspect_line_costs(s.p, &s.cost_count);
    if (!s.costs)
        return;
    bool has_rest = false;
    for (uint32_t i = 0; i < s.cost_count; i++)
        s.most = MAX2(s.most, s.costs[i].executed);
    inspect_put(page->out, "<details open><summary>Source</summary><p class=note>Instructions of the QPU that were "
                           "compiled from a line, how often they were executed for 16 lanes, their share of the "
                           "program, and the texture lookups that they began. An instruction word that holds two "
                           "operations counts for one line: that of its lookup, if it begins one.</p>\n");
    for (uint32_t i = 0; i < s.p->info->file_count; i++)
        if (s.p->info->files[i].text)
            put_file(&s, i);
    for (uint32_t i = 0; i < s.cost_count; i++)
        has_rest |= !s.costs[i].is_shown;
    if (has_rest) {
        begin_table(&s, "");
        put_rest(&s);
        inspect_put(page->out, "</table>");
    }
    inspect_put(page->out, "</details>\n");
    free(s.costs);
}
