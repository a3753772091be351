/* SPDX-License-Identifier: MIT
 *
 * Shows the programs of a frame. Equal code of one stage counts as one program, even if several works run it.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "hw/qpu.h"
#include "inspect/inspect_page.h"

const char *inspect_stage_name(enum model_stage stage)
{
    static const char *const names[MODEL_STAGES] = {
        [MODEL_STAGE_COORDINATE] = "coordinate",
        [MODEL_STAGE_VERTEX] = "vertex",
        [MODEL_STAGE_FRAGMENT] = "fragment",
        [MODEL_STAGE_USER] = "CPU engine",
    };
    return names[stage];
}

uint32_t inspect_page_program(const struct inspect_page *page, const struct model_program_stats *program)
{
    for (uint32_t i = 0; i < page->program_count; i++) {
        const struct inspect_page_program *p = &page->programs[i];
        if (p->stage == program->stage && p->count == program->count &&
            !memcmp(p->words, program->words, p->count * sizeof *p->words))
            return i;
    }
    return UINT32_MAX;
}

static struct inspect_page_program *add(struct inspect_page *page, const struct model_program_stats *from)
{
    struct inspect_page_program *more = realloc(page->programs, (page->program_count + 1) * sizeof *more);
    if (!more)
        return NULL;
    page->programs = more;
    struct inspect_page_program *p = &more[page->program_count];
    *p = (struct inspect_page_program){.stage = from->stage, .count = from->count, .words = from->words};
    p->executed = calloc(MAX2(from->count, 1u), sizeof *p->executed);
    p->info = inspect_find_program(page->frame->inspect, from->words, from->count);
    if (!p->executed)
        return NULL;
    page->program_count++;
    return p;
}

static bool collect(struct inspect_page *page, const struct model_program_stats *from)
{
    const uint32_t index = inspect_page_program(page, from);
    struct inspect_page_program *p = index == UINT32_MAX ? add(page, from) : &page->programs[index];
    if (!p)
        return false;
    for (uint32_t n = 0; n < from->count; n++) {
        p->executed[n] += from->executed[n];
        p->instrs += from->executed[n];
    }
    p->runs += from->runs;
    p->works++;
    return true;
}

bool inspect_collect_programs(struct inspect_page *page)
{
    bool ok = true;
    util_list_for_each(struct inspect_work, work, &page->frame->works, link)
        for (uint32_t i = 0; i < work->stats.program_count; i++)
            ok &= collect(page, &work->stats.programs[i]);
    return ok;
}

void inspect_free_programs(struct inspect_page *page)
{
    for (uint32_t i = 0; i < page->program_count; i++)
        free(page->programs[i].executed);
    free(page->programs);
}

/* -- the page ----------------------------------------------------------------------------------------------------- */

void inspect_put_program_link(const struct inspect_page *page, uint32_t index)
{
    const struct inspect_page_program *p = &page->programs[index];
    inspect_putf(page->out, "<a href=\"#p%u\">P%u</a> <small>%s%s", index + 1, index + 1, inspect_stage_name(p->stage),
                 p->info && p->info->entry[0] ? ", " : "");
    if (p->info)
        inspect_put_text(page->out, p->info->entry);
    inspect_put(page->out, "</small>");
}

/* Links to the source line. */
static void put_line_link(struct inspect_text *out, uint32_t index, const struct inspect_line *line)
{
    inspect_put(out, "<td class=n>");
    if (!line || !line->line)
        return;
    inspect_put(out, "<a href=\"#");
    inspect_put_line_id(out, index, line);
    inspect_putf(out, "\">%u</a>", line->line);
}

static void put_line(const struct inspect_page *page, uint32_t index, uint32_t n, uint64_t most)
{
    const struct inspect_page_program *p = &page->programs[index];
    struct inspect_text *out = page->out;
    const struct qpu_instr instr = qpu_decode(p->words[n]);
    char text[256];
    qpu_print(&instr, text, sizeof text);
    inspect_putf(out, "<tr%s><td>%u<td class=n>", p->executed[n] ? "" : " class=never", n);
    inspect_put_number(out, p->executed[n]);
    inspect_putf(out, "<td class=n>%.2f<td><i class=bar style=\"--w:%.1f%%\"></i><td><code>",
                 p->runs ? (double)p->executed[n] / (double)p->runs : 0,
                 most ? 100 * (double)p->executed[n] / (double)most : 0);
    inspect_put_text(out, text);
    inspect_put(out, "</code>");
    if (p->info && p->info->lines)
        put_line_link(out, index, n < p->info->count ? &p->info->lines[n] : NULL);
    if (!p->info || !p->info->sources)
        return;
    inspect_put(out, "<td><code class=src>");
    if (n < p->info->count && p->info->sources[n])
        inspect_put_text(out, p->info->sources[n]);
    inspect_put(out, "</code>");
}

static void put_program(const struct inspect_page *page, uint32_t index)
{
    const struct inspect_page_program *p = &page->programs[index];
    struct inspect_text *out = page->out;
    uint64_t most = 0;
    for (uint32_t n = 0; n < p->count; n++)
        most = MAX2(most, p->executed[n]);
    inspect_putf(out, "<details class=program id=p%u><summary><b>P%u</b> %s", index + 1, index + 1,
                 inspect_stage_name(p->stage));
    if (p->info && p->info->entry[0]) {
        inspect_put(out, " <q>");
        inspect_put_text(out, p->info->entry);
        inspect_putf(out, "</q> <small>of module %016" PRIx64 "</small>", p->info->module_hash);
    } else if (!p->info) {
        inspect_put(out, " <small>of the driver</small>");
    }
    inspect_putf(out, "<span class=right>%u instructions, ", p->count);
    inspect_put_number(out, p->runs);
    inspect_put(out, " runs, ");
    inspect_put_number(out, p->instrs);
    inspect_putf(out, " executed in %u of the works</span></summary>", p->works);
    inspect_put(out, "<p class=note>A run is 16 lanes. The third column is how often a run executes the instruction.");
    if (p->info && p->info->sources)
        inspect_put(out, " The last column is the SPIR-V instruction that it was made from.");
    inspect_put(out, "</p>");
    inspect_put_source(page, index);
    inspect_put(out, "<table class=code><thead><tr><th>#<th>executed<th>a run<th><th>QPU");
    if (p->info && p->info->lines)
        inspect_put(out, "<th>line");
    if (p->info && p->info->sources)
        inspect_put(out, "<th>SPIR-V");
    inspect_put(out, "<tbody>");
    for (uint32_t n = 0; n < p->count; n++)
        put_line(page, index, n, most);
    inspect_put(out, "</table></details>\n");
}

void inspect_put_programs(const struct inspect_page *page)
{
    inspect_put(page->out, "<section id=programs><h2>Programs</h2>\n");
    if (!page->program_count)
        inspect_put(page->out, "<p>No program ran.</p>");
    for (uint32_t i = 0; i < page->program_count; i++)
        put_program(page, i);
    inspect_put(page->out, "</section>\n");
}
