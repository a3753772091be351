/* SPDX-License-Identifier: MIT
 *
 * Writes all numbers of a page as JSON, for the page's script, for tests and for other tools.
 */
#include <inttypes.h>
#include "inspect/inspect_page.h"

static void put_costs(struct inspect_text *out, const struct model_costs *costs)
{
    inspect_put(out, "[");
    for (unsigned i = 0; i < MODEL_COSTS; i++)
        inspect_putf(out, "%s%" PRIu64, i ? "," : "", costs->of[i]);
    inspect_put(out, "]");
}

static void put_program(const struct inspect_page *page, const struct model_program_stats *p)
{
    struct inspect_text *out = page->out;
    inspect_putf(out, "{\"program\":%u,\"stage\":%u,\"runs\":%" PRIu64 ",\"executed\":[",
                 inspect_page_program(page, p) + 1, p->stage, p->runs);
    for (uint32_t n = 0; n < p->count; n++)
        inspect_putf(out, "%s%" PRIu64, n ? "," : "", p->executed[n]);
    inspect_put(out, "]}");
}

static void put_work(const struct inspect_page *page, const struct inspect_work *work)
{
    struct inspect_text *out = page->out;
    const struct model_stats *s = &work->stats;
    inspect_putf(out, "{\"number\":%u,\"kind\":\"%s\",\"engine\":%s,\"complete\":%s,\"name\":", work->number,
                 work->is_job ? "job" : "operation", work->is_engine ? "true" : "false", s->failed ? "false" : "true");
    inspect_put_json(out, work->name);
    inspect_put(out, ",\"label\":");
    inspect_put_json(out, work->label);
    inspect_putf(out, ",\"columns\":%u,\"rows\":%u,\"tile_px\":%u,\"interpreted\":%" PRIu64 ",\n\"total\":", s->columns,
                 s->rows, s->tile_px, s->interpreted);
    put_costs(out, &s->total);
    inspect_put(out, ",\n\"elsewhere\":");
    put_costs(out, &s->elsewhere);
    inspect_put(out, ",\n\"tiles\":[");
    for (uint32_t i = 0; i < s->columns * s->rows; i++) {
        inspect_put(out, i ? ",\n" : "");
        put_costs(out, &s->tiles[i]);
    }
    inspect_put(out, "],\n\"chip_counts\":[");
    for (unsigned i = 0; i < MODEL_STATS_CHIP_COUNTS; i++)
        inspect_putf(out, "%s%" PRIu64, i ? "," : "", s->chip_counts[i]);
    inspect_put(out, "],\n\"programs\":[");
    for (uint32_t i = 0; i < s->program_count; i++) {
        inspect_put(out, i ? ",\n" : "");
        put_program(page, &s->programs[i]);
    }
    inspect_put(out, "]}");
}

void inspect_put_data(const struct inspect_page *page)
{
    struct inspect_text *out = page->out;
    bool is_first = true;
    inspect_putf(out, "<script type=\"application/json\" id=data>{\"frame\":%" PRIu64 ",\"costs\":[",
                 page->frame->number);
    for (unsigned i = 0; i < MODEL_COSTS; i++) {
        inspect_put(out, i ? "," : "");
        inspect_put_json(out, model_cost_name((enum model_cost)i));
    }
    inspect_put(out, "],\n\"total\":");
    put_costs(out, &page->total);
    inspect_put(out, ",\n\"works\":[");
    util_list_for_each(struct inspect_work, work, &page->frame->works, link) {
        inspect_put(out, is_first ? "" : ",\n");
        is_first = false;
        put_work(page, work);
    }
    inspect_put(out, "]}</script>\n");
}
