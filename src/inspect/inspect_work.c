/* SPDX-License-Identifier: MIT
 *
 * Shows a job or operation on the page: surfaces and the reasons for them, pictures, costs, traffic, estimate,
 * programs, lists.
 */
#include <inttypes.h>
#include "inspect/inspect_page.h"

void inspect_put_time(struct inspect_text *out, double s)
{
    if (s >= 1e-3)
        inspect_putf(out, "%.2f ms", s * 1e3);
    else
        inspect_putf(out, "%.1f &#181;s", s * 1e6);
}

/* -- surfaces ----------------------------------------------------------------------------------------------------- */

static const char *tiling_name(unsigned bits, unsigned shift)
{
    static const char *const names[4] = {"raster", "T", "LT", "?"};
    return names[bits >> shift & 3];
}

static void put_surface(const struct inspect_page *page, const struct inspect_work *work,
                        const struct kmd_surface *surface, const char *what, const char *layout, const char *why,
                        uint64_t traffic_B)
{
    struct inspect_text *out = page->out;
    if (surface->bo_index == KMD_NO_BO)
        return;
    inspect_putf(out, "<tr><td>%s<td>BO %u", what, surface->bo_index);
    if (surface->bo_index < work->bo_count)
        inspect_putf(out, " <small>handle %u</small>", work->bos[surface->bo_index].handle);
    inspect_putf(out, "+0x%x<td>%s<td class=n>", surface->offset_B, layout);
    inspect_put_bytes_of(out, traffic_B);
    inspect_put(out, "<td>");
    inspect_put_text(out, why ? why : "");
}

static void put_clear(const struct inspect_page *page, const struct kmd_render *r)
{
    if (r->flags & KMD_RENDER_USE_CLEAR_COLOR)
        inspect_putf(page->out,
                     "<tr><td>clears<td><code>%08" PRIx32 "</code><td>Z <code>%06" PRIx32
                     "</code>, S <code>%02x</code><td class=n>0 B<td>the tile buffer starts with it: costs "
                     "nothing",
                     r->clear_color[0], r->clear_z, r->clear_s);
}

static void put_surfaces(const struct inspect_page *page, const struct inspect_work *work)
{
    const struct kmd_render *r = &work->render;
    const struct inspect_job_info *n = &work->notes;
    const uint64_t *of = work->stats.total.of;
    const bool resolves = r->msaa_color_write.bo_index != KMD_NO_BO || n->why_resolve;
    inspect_put(page->out, "<table class=surfaces><thead><tr><th>does<th>where<th>layout<th>traffic<th>why<tbody>");
    put_clear(page, r);
    put_surface(page, work, &r->color_read, "loads colour",
                r->color_read.flags & KMD_SURFACE_FULL_RES ? "all samples" : tiling_name(r->color_read.bits, 4),
                n->why_color_load, of[MODEL_COST_COLOR_LOAD_B]);
    put_surface(page, work, &r->zs_read, "loads depth and stencil",
                r->zs_read.flags & KMD_SURFACE_FULL_RES ? "all samples" : tiling_name(r->zs_read.bits, 4),
                n->why_zs_load, of[MODEL_COST_ZS_LOAD_B]);
    put_surface(page, work, &r->msaa_color_write, "stores colour", "all samples", n->why_color_store,
                of[MODEL_COST_COLOR_STORE_B]);
    put_surface(page, work, &r->color_write, resolves ? "resolves colour" : "stores colour",
                tiling_name(r->color_write.bits, 6), resolves ? n->why_resolve : n->why_color_store,
                of[MODEL_COST_COLOR_STORE_B]);
    put_surface(page, work, &r->zs_write, "stores depth and stencil", tiling_name(r->zs_write.bits, 4), n->why_zs_store,
                of[MODEL_COST_ZS_STORE_B]);
    put_surface(page, work, &r->msaa_zs_write, "stores depth and stencil", "all samples", n->why_zs_store,
                of[MODEL_COST_ZS_STORE_B]);
    inspect_put(page->out, "</table>\n");
}

/* -- costs -------------------------------------------------------------------------------------------------------- */

static bool is_bytes(enum model_cost cost)
{
    return cost >= MODEL_COST_TEXTURE_B;
}

static void put_amount(struct inspect_text *out, enum model_cost cost, uint64_t amount)
{
    if (is_bytes(cost))
        inspect_put_bytes_of(out, amount);
    else
        inspect_put_number(out, amount);
}

static void put_hottest(const struct inspect_page *page, const struct model_stats *s, enum model_cost cost)
{
    uint32_t hottest = 0;
    for (uint32_t i = 1; i < s->columns * s->rows; i++)
        if (s->tiles[i].of[cost] > s->tiles[hottest].of[cost])
            hottest = i;
    if (!s->tiles || !s->tiles[hottest].of[cost]) {
        inspect_put(page->out, "<td><td>");
        return;
    }
    inspect_put(page->out, "<td class=n>");
    put_amount(page->out, cost, s->tiles[hottest].of[cost]);
    inspect_putf(page->out, "<td>(%u, %u)", hottest % s->columns, hottest / s->columns);
}

static void put_costs(const struct inspect_page *page, const struct model_stats *s, bool bytes)
{
    struct inspect_text *out = page->out;
    uint64_t most = 0;
    for (unsigned c = 0; c < MODEL_COSTS; c++)
        if (is_bytes((enum model_cost)c) == bytes)
            most = MAX2(most, s->total.of[c]);
    if (!most)
        return;
    inspect_putf(out, "<table class=costs><thead><tr><th>%s<th>total<th><th>most in a tile<th>tile<tbody>",
                 bytes ? "memory traffic" : "work");
    for (unsigned c = 0; c < MODEL_COSTS; c++) {
        if (is_bytes((enum model_cost)c) != bytes || !s->total.of[c])
            continue;
        inspect_putf(out, "<tr><td>%s<td class=n>", model_cost_name((enum model_cost)c));
        put_amount(out, (enum model_cost)c, s->total.of[c]);
        inspect_putf(out, "<td><i class=bar style=\"--w:%.1f%%\"></i>", 100 * (double)s->total.of[c] / (double)most);
        put_hottest(page, s, (enum model_cost)c);
    }
    inspect_put(out, "</table>\n");
}

static void put_estimate(const struct inspect_page *page, const struct model_costs *costs)
{
    struct inspect_text *out = page->out;
    struct inspect_estimate e[INSPECT_CHIPS];
    inspect_put(out, "<table class=costs><thead><tr><th>estimate, at least<tbody>");
    for (unsigned i = 0; i < INSPECT_CHIPS; i++)
        inspect_estimate(&inspect_chips[i], costs, &e[i]);
    for (unsigned unit = 0; unit < INSPECT_UNITS; unit++) {
        inspect_putf(out, "<tr><td>%s", inspect_unit_name((enum inspect_unit)unit));
        for (unsigned i = 0; i < INSPECT_CHIPS; i++) {
            inspect_putf(out, "<td class=\"n%s\">", e[i].longest == unit && e[i].least_s > 0 ? " longest" : "");
            inspect_put_time(out, e[i].unit_s[unit]);
        }
    }
    inspect_put(out, "<tfoot><tr><td>");
    for (unsigned i = 0; i < INSPECT_CHIPS; i++)
        inspect_putf(out, "<td class=n><small>%s</small>", inspect_chips[i].name);
    inspect_put(out, "</table>\n");
}

/* -- the whole work ----------------------------------------------------------------------------------------------- */

static void put_pictures(const struct inspect_page *page, const struct inspect_work *work)
{
    struct inspect_text *out = page->out;
    const struct inspect_picture *p = &work->picture;
    if (!p->png.size_B && !work->stats.columns)
        return;
    inspect_put(out, "<div class=pictures>");
    if (p->png.size_B) {
        inspect_putf(out,
                     "<figure class=result><div class=shown data-work=%u data-tile=%u><img alt=\"what the job has "
                     "stored\" src=\"data:image/png;base64,",
                     work->number, work->stats.tile_px);
        inspect_put_base64(out, (const uint8_t *)p->png.data, p->png.size_B);
        inspect_putf(out, "\"></div><figcaption>%s as it is in memory when the job has finished, %u &#215; %u", p->of,
                     p->width_px, p->height_px);
        if (work->notes.color_format) {
            inspect_put(out, ", ");
            inspect_put_text(out, work->notes.color_format);
        }
        inspect_put(out, "</figcaption></figure>");
    }
    inspect_put_heat(page, work);
    inspect_put(out, "</div>\n");
}

static void put_names(const struct inspect_page *page, const struct inspect_work *work)
{
    struct inspect_text *out = page->out;
    const struct {
        const char *what, *text;
    } names[] = {{"", work->notes.what},
                 {"", work->text},
                 {"label ", work->label},
                 {"command buffer ", work->command_buffer},
                 {"queue label ", work->queue_label}};
    inspect_putf(out, "<p class=names>queue %u.%u", work->queue_family, work->queue_index);
    for (unsigned i = 0; i < ARRAY_SIZE(names); i++) {
        if (!names[i].text[0])
            continue;
        inspect_putf(out, " &#183; %s", names[i].what);
        inspect_put_text(out, names[i].text);
    }
    if (work->stats.failed)
        inspect_put(out, " &#183; <b>out of memory: the counts are incomplete</b>");
    inspect_put(out, "</p>\n");
}

static void put_programs_of(const struct inspect_page *page, const struct inspect_work *work)
{
    struct inspect_text *out = page->out;
    if (!work->stats.program_count)
        return;
    inspect_put(out, "<table class=costs><thead><tr><th>program<th>runs<th>instructions<tbody>");
    for (uint32_t i = 0; i < work->stats.program_count; i++) {
        const struct model_program_stats *p = &work->stats.programs[i];
        const uint32_t index = inspect_page_program(page, p);
        uint64_t instrs = 0;
        for (uint32_t n = 0; n < p->count; n++)
            instrs += p->executed[n];
        inspect_put(out, "<tr><td>");
        if (index != UINT32_MAX)
            inspect_put_program_link(page, index);
        inspect_put(out, "<td class=n>");
        inspect_put_number(out, p->runs);
        inspect_put(out, "<td class=n>");
        inspect_put_number(out, instrs);
    }
    inspect_put(out, "</table>\n");
}

static void put_summary(const struct inspect_page *page, const struct inspect_work *work)
{
    struct inspect_text *out = page->out;
    struct inspect_estimate e;
    inspect_estimate(&inspect_chips[0], &work->stats.total, &e);
    inspect_putf(out, "<summary><b>%u</b> ", work->number);
    inspect_put_text(out, work->name);
    inspect_putf(out, " <span class=\"kind k%s\">%s</span>", work->class, work->class);
    if (work->label[0]) {
        inspect_put(out, " <q>");
        inspect_put_text(out, work->label);
        inspect_put(out, "</q>");
    }
    inspect_put(out, "<span class=right>");
    if (work->render.width_px)
        inspect_putf(out, "%u &#215; %u, ", work->render.width_px, work->render.height_px);
    inspect_put_number(out, inspect_instrs(&work->stats.total));
    inspect_put(out, " instructions, ");
    inspect_put_bytes_of(out, inspect_memory_B(&work->stats.total));
    if (!work->is_engine && work->is_job) {
        inspect_put(out, ", at least ");
        inspect_put_time(out, e.least_s);
    }
    inspect_put(out, "</span></summary>\n");
}

void inspect_put_work(const struct inspect_page *page, const struct inspect_work *work, bool is_open)
{
    struct inspect_text *out = page->out;
    inspect_putf(out, "<details class=work id=j%u%s>", work->number, is_open ? " open" : "");
    put_summary(page, work);
    put_names(page, work);
    if (work->has_lists)
        put_surfaces(page, work);
    put_pictures(page, work);
    inspect_put(out, "<div class=tables>");
    put_costs(page, &work->stats, false);
    put_costs(page, &work->stats, true);
    if (work->is_engine)
        inspect_put(out, "<p class=note>The CPU engine ran it: on a board the processor does this, and the chip waits."
                         "</p>");
    else if (work->is_job)
        put_estimate(page, &work->stats.total);
    put_programs_of(page, work);
    inspect_put(out, "</div>\n");
    inspect_put_lists(page, work);
    inspect_put(out, "</details>\n");
}
