/* SPDX-License-Identifier: MIT
 *
 * Writes all numbers of a page as JSON, for the page's script, for tests and for other tools.
 */
#include <inttypes.h>
#include <stdlib.h>
#include "inspect/inspect_page.h"
#include "util/json.h"

static void put_to_page(void *data, const char *text, size_t size_B)
{
    inspect_put_bytes(data, text, size_B);
}

static void put_numbers(struct util_json *json, const char *key, const uint64_t *numbers, uint32_t count)
{
    util_json_array(json, key, UTIL_JSON_INLINE);
    for (uint32_t i = 0; i < count; i++)
        util_json_number(json, NULL, "%" PRIu64, numbers[i]);
    util_json_end(json);
}

static void put_program(struct util_json *json, const struct inspect_page *page, const struct model_program_stats *p)
{
    util_json_object(json, NULL, UTIL_JSON_INLINE);
    util_json_number(json, "program", "%u", inspect_page_program(page, p) + 1);
    util_json_number(json, "stage", "%u", p->stage);
    util_json_number(json, "runs", "%" PRIu64, p->runs);
    put_numbers(json, "executed", p->executed, p->count);
    util_json_end(json);
}

/* The lines of a program as [file, line, instructions, executed, lookups]. */
static void put_lines(struct util_json *json, const struct inspect_page_program *p)
{
    uint32_t count;
    struct inspect_line_cost *costs = inspect_line_costs(p, &count);
    util_json_array(json, "files", UTIL_JSON_INLINE);
    for (uint32_t i = 0; costs && i < p->info->file_count; i++)
        util_json_string(json, NULL, p->info->files[i].name);
    util_json_end(json);
    util_json_array(json, "lines", UTIL_JSON_LINES);
    for (uint32_t i = 0; i < count; i++)
        put_numbers(
            json, NULL,
            (const uint64_t[]){costs[i].file, costs[i].line, costs[i].instrs, costs[i].executed, costs[i].lookups}, 5);
    util_json_end(json);
    free(costs);
}

static void put_page_program(struct util_json *json, const struct inspect_page_program *p)
{
    util_json_object(json, NULL, UTIL_JSON_LINES);
    util_json_number(json, "stage", "%u", p->stage);
    util_json_number(json, "count", "%u", p->count);
    put_lines(json, p);
    util_json_end(json);
}

static void put_work(struct util_json *json, const struct inspect_page *page, const struct inspect_work *work)
{
    const struct model_stats *s = &work->stats;
    util_json_object(json, NULL, UTIL_JSON_LINES);
    util_json_number(json, "number", "%u", work->number);
    util_json_string(json, "kind", work->is_job ? "job" : "operation");
    util_json_bool(json, "engine", work->is_engine);
    util_json_bool(json, "complete", !s->failed);
    util_json_string(json, "name", work->name);
    util_json_string(json, "label", work->label);
    util_json_number(json, "columns", "%u", s->columns);
    util_json_number(json, "rows", "%u", s->rows);
    util_json_number(json, "tile_px", "%u", s->tile_px);
    util_json_number(json, "interpreted", "%" PRIu64, s->interpreted);
    put_numbers(json, "total", s->total.of, MODEL_COSTS);
    put_numbers(json, "elsewhere", s->elsewhere.of, MODEL_COSTS);
    util_json_array(json, "tiles", UTIL_JSON_LINES);
    for (uint32_t i = 0; i < s->columns * s->rows; i++)
        put_numbers(json, NULL, s->tiles[i].of, MODEL_COSTS);
    util_json_end(json);
    put_numbers(json, "chip_counts", s->chip_counts, MODEL_STATS_CHIP_COUNTS);
    util_json_array(json, "programs", UTIL_JSON_LINES);
    for (uint32_t i = 0; i < s->program_count; i++)
        put_program(json, page, &s->programs[i]);
    util_json_end(json);
    util_json_end(json);
}

void inspect_put_data(const struct inspect_page *page)
{
    struct util_json json = {.put = put_to_page, .data = page->out, .is_in_html = true};
    inspect_put(page->out, "<script type=\"application/json\" id=data>");
    util_json_object(&json, NULL, UTIL_JSON_LINES);
    util_json_number(&json, "frame", "%" PRIu64, page->frame->number);
    util_json_array(&json, "costs", UTIL_JSON_INLINE);
    for (unsigned i = 0; i < MODEL_COSTS; i++)
        util_json_string(&json, NULL, model_cost_name((enum model_cost)i));
    util_json_end(&json);
    put_numbers(&json, "total", page->total.of, MODEL_COSTS);
    util_json_array(&json, "works", UTIL_JSON_LINES);
    util_list_for_each(struct inspect_work, work, &page->frame->works, link)
        put_work(&json, page, work);
    util_json_end(&json);
    util_json_array(&json, "programs", UTIL_JSON_LINES);
    for (uint32_t i = 0; i < page->program_count; i++)
        put_page_program(&json, &page->programs[i]);
    util_json_end(&json);
    util_json_end(&json);
    inspect_put(page->out, "</script>\n");
}
