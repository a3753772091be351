/* SPDX-License-Identifier: MIT
 *
 * Writes the page: one HTML file without external resources. It is fully readable without its script, which only shows
 * the numbers of the tile under the pointer and unfolds the target of a link.
 */
#include <errno.h>
#include <inttypes.h>
#include "inspect/inspect_page.h"

#define OPEN_MAX 2u /* number of works that are unfolded: the most expensive ones */

static void put_card(struct inspect_text *out, const char *name)
{
    inspect_putf(out, "<div class=card><small>%s</small><b>", name);
}

static void put_cards(const struct inspect_page *page)
{
    struct inspect_text *out = page->out;
    const struct model_costs *total = &page->total;
    uint32_t jobs = 0, ops = 0, engine = 0;
    util_list_for_each(struct inspect_work, work, &page->frame->works, link) {
        engine += work->is_engine;
        jobs += work->is_job && !work->is_engine;
        ops += !work->is_job && !work->is_engine;
    }
    inspect_put(out, "<div class=cards>");
    put_card(out, "jobs of the chip");
    inspect_putf(out, "%u</b></div>", jobs);
    put_card(out, "on the CPU engine");
    inspect_putf(out, "%u</b></div>", engine);
    put_card(out, "CPU operations");
    inspect_putf(out, "%u</b></div>", ops);
    put_card(out, "QPU instructions");
    inspect_put_number(out, inspect_instrs(total));
    inspect_put(out, "</b></div>");
    put_card(out, "pixels shaded");
    inspect_put_number(out, total->of[MODEL_COST_PIXELS]);
    inspect_put(out, "</b></div>");
    put_card(out, "texture lookups");
    inspect_put_number(out, total->of[MODEL_COST_TEXTURE_LOOKUPS]);
    inspect_put(out, "</b></div>");
    put_card(out, "memory traffic");
    inspect_put_bytes_of(out, inspect_memory_B(total));
    inspect_put(out, "</b></div></div>\n");
}

/* -- the frame's time --------------------------------------------------------------------------------------------- */

static double least_of(const struct inspect_chip *chip, const struct inspect_work *work)
{
    struct inspect_estimate e;
    inspect_estimate(chip, &work->stats.total, &e);
    return work->is_job && !work->is_engine ? e.least_s : 0;
}

static void put_estimate(const struct inspect_page *page)
{
    struct inspect_text *out = page->out;
    inspect_put(out, "<section id=estimate><h2>Estimate</h2><div class=cards>");
    for (unsigned i = 0; i < INSPECT_CHIPS; i++) {
        double sum_s = 0;
        util_list_for_each(struct inspect_work, work, &page->frame->works, link)
            sum_s += least_of(&inspect_chips[i], work);
        inspect_putf(out, "<div class=\"card wide\"><small>chip at %s</small><b>at least ", inspect_chips[i].name);
        inspect_put_time(out, sum_s);
        if (sum_s > 0)
            inspect_putf(out, "</b><small>no more than %.0f frames a second</small></div>", 1 / sum_s);
        else
            inspect_put(out, "</b></div>");
    }
    inspect_put(
        out,
        "</div><p class=note><b>This is an estimate, from below.</b> For each job, the unit that is busy longest by "
        "rates that are documented: 12 QPUs with an instruction for 16 lanes in four clocks each; a quad in a clock; "
        "four texture lookups in a clock; a primitive in ten clocks; the peak of the board's memory (3.2 and 3.6 GB/s, "
        "which the processor and the display share). Not in it: waiting for memory, FIFOs and the scoreboard, binning "
        "that does not overlap with rendering, misses of the caches of instructions and uniforms, filters that take "
        "several clocks, the kernel, and everything that the processor does, the CPU engine included. Textures go "
        "through one cache of 32 KiB here. A real chip takes longer; by how much has not been measured on a "
        "board.</p></section>\n");
}

/* -- the list of works -------------------------------------------------------------------------------------------- */

static void put_index(const struct inspect_page *page)
{
    struct inspect_text *out = page->out;
    double most_s = 0;
    util_list_for_each(struct inspect_work, work, &page->frame->works, link)
        most_s = MAX2(most_s, least_of(&inspect_chips[0], work));
    inspect_put(out, "<section id=works><h2>Work</h2><table class=index><thead><tr><th>#<th>what<th>class<th>size<th>"
                     "instructions<th>pixels<th>lookups<th>memory<th colspan=2>at least, 250 MHz<tbody>");
    util_list_for_each(struct inspect_work, work, &page->frame->works, link) {
        const struct model_costs *c = &work->stats.total;
        const double s = least_of(&inspect_chips[0], work);
        inspect_putf(out, "<tr><td><a href=\"#j%u\">%u</a><td>", work->number, work->number);
        inspect_put_text(out, work->name);
        if (work->label[0]) {
            inspect_put(out, " <q>");
            inspect_put_text(out, work->label);
            inspect_put(out, "</q>");
        }
        if (work->notes.what[0]) {
            inspect_put(out, " <small>");
            inspect_put_text(out, work->notes.what);
            inspect_put(out, "</small>");
        }
        inspect_putf(out, "<td><span class=\"kind k%s\">%s</span><td>", work->class, work->class);
        if (work->render.width_px)
            inspect_putf(out, "%u &#215; %u", work->render.width_px, work->render.height_px);
        const uint64_t numbers[] = {inspect_instrs(c), c->of[MODEL_COST_PIXELS], c->of[MODEL_COST_TEXTURE_LOOKUPS]};
        for (unsigned i = 0; i < ARRAY_SIZE(numbers); i++) {
            inspect_put(out, "<td class=n>");
            inspect_put_number(out, numbers[i]);
        }
        inspect_put(out, "<td class=n>");
        inspect_put_bytes_of(out, inspect_memory_B(c));
        inspect_put(out, "<td class=n>");
        if (s > 0)
            inspect_put_time(out, s);
        inspect_putf(out, "<td class=wide><i class=bar style=\"--w:%.1f%%\"></i>\n", most_s > 0 ? 100 * s / most_s : 0);
    }
    inspect_put(out, "</table>\n");
}

/* Number of works that are more expensive. */
static uint32_t rank_of(const struct inspect_page *page, const struct inspect_work *work)
{
    uint32_t rank = 0;
    util_list_for_each(struct inspect_work, other, &page->frame->works, link) {
        const uint64_t a = inspect_instrs(&other->stats.total), b = inspect_instrs(&work->stats.total);
        rank += a > b || (a == b && other->number < work->number);
    }
    return rank;
}

static void put_works(const struct inspect_page *page)
{
    put_index(page);
    util_list_for_each(struct inspect_work, work, &page->frame->works, link)
        inspect_put_work(page, work, rank_of(page, work) < OPEN_MAX);
    inspect_put(page->out, "</section>\n");
}

/* -- the page ----------------------------------------------------------------------------------------------------- */

static void put_head(const struct inspect_page *page)
{
    struct inspect_text *out = page->out;
    inspect_put(out, "<!DOCTYPE html>\n<html lang=en><head><meta charset=utf-8><meta name=viewport "
                     "content=\"width=device-width\"><title>");
    inspect_put_text(out, program_invocation_short_name);
    inspect_putf(out, ", frame %" PRIu64 "</title>\n<style>", page->frame->number);
    inspect_put(out, inspect_page_css);
    inspect_put(out, "</style></head><body>\n<header><h1>");
    inspect_put_text(out, program_invocation_short_name);
    inspect_putf(out,
                 " <small>frame %" PRIu64 " on VideoCore IV, as vc4vk's model counts it</small></h1><nav>"
                 "<a href=\"#estimate\">Estimate</a> <a href=\"#timeline\">Timeline</a> <a href=\"#works\">Work</a> "
                 "<a href=\"#programs\">Programs</a></nav></header>\n<main>\n",
                 page->frame->number);
}

void inspect_write_page(struct inspect_frame *frame, struct inspect_text *out)
{
    struct inspect_page page = {.frame = frame, .out = out};
    util_list_for_each(struct inspect_work, work, &frame->works, link)
        for (unsigned i = 0; i < MODEL_COSTS; i++)
            page.total.of[i] += work->stats.total.of[i];
    if (!inspect_collect_programs(&page))
        out->failed = true;
    put_head(&page);
    put_cards(&page);
    put_estimate(&page);
    inspect_put_timeline(&page);
    put_works(&page);
    inspect_put_programs(&page);
    inspect_put(out, "</main>\n");
    inspect_put_data(&page);
    inspect_put(out, "<script>");
    inspect_put(out, inspect_page_js);
    inspect_put(out, "</script></body></html>\n");
    inspect_free_programs(&page);
}
