/* SPDX-License-Identifier: MIT
 *
 * Heat maps: one pixel per tile, scaled to the size of the tile and shown beside the picture. The page has four maps
 * and shows one at a time; radio buttons select it without a script.
 */
#include <inttypes.h>
#include <stdlib.h>
#include "inspect/inspect_page.h"

struct metric {
    const char *name, *unit;
    double (*of)(const struct model_costs *costs, double tile_px);
};

static double instrs_of(const struct model_costs *costs, double tile_px)
{
    return (double)inspect_instrs(costs);
}

static double overdraw_of(const struct model_costs *costs, double tile_px)
{
    return (double)costs->of[MODEL_COST_PIXELS] / (tile_px * tile_px);
}

static double lookups_of(const struct model_costs *costs, double tile_px)
{
    return (double)(costs->of[MODEL_COST_TEXTURE_LOOKUPS] + costs->of[MODEL_COST_MEMORY_LOOKUPS]);
}

static double memory_of(const struct model_costs *costs, double tile_px)
{
    return (double)inspect_memory_B(costs);
}

static const struct metric metrics[] = {
    {"instructions", "QPU instructions", instrs_of},
    {"overdraw", "pixels shaded for each pixel", overdraw_of},
    {"lookups", "texture and memory lookups", lookups_of},
    {"memory", "bytes to and from memory", memory_of},
};

/* A colour ramp from dark blue through violet and orange to light yellow. Bytes R, G, B. */
static uint32_t color_of(double value)
{
    static const double stops[][3] = {{13, 12, 42},   {72, 16, 112},  {150, 40, 118}, {222, 76, 88},
                                      {251, 142, 60}, {252, 212, 96}, {252, 250, 190}};
    const double at = CLAMP(value, 0.0, 1.0) * (ARRAY_SIZE(stops) - 1);
    const unsigned low = MIN2((unsigned)at, (unsigned)ARRAY_SIZE(stops) - 2);
    uint32_t color = 0;
    for (unsigned c = 0; c < 3; c++) {
        const double channel = stops[low][c] + (stops[low + 1][c] - stops[low][c]) * (at - low);
        color |= (uint32_t)(channel + 0.5) << 8 * c;
    }
    return color;
}

static double most_of(const struct model_stats *stats, const struct metric *metric)
{
    double most = 0;
    for (uint32_t i = 0; i < stats->columns * stats->rows; i++)
        most = MAX2(most, metric->of(&stats->tiles[i], stats->tile_px));
    return most;
}

static void put_map(struct inspect_text *out, const struct inspect_work *work, unsigned index)
{
    const struct model_stats *stats = &work->stats;
    const struct metric *metric = &metrics[index];
    const double most = most_of(stats, metric);
    const uint32_t count = stats->columns * stats->rows;
    uint32_t *pixels = malloc(count * sizeof *pixels);
    struct inspect_text png = {0};
    for (uint32_t i = 0; pixels && i < count; i++)
        pixels[i] = color_of(most > 0 ? metric->of(&stats->tiles[i], stats->tile_px) / most : 0);
    if (pixels)
        inspect_put_png(&png, pixels, stats->columns, stats->rows);
    inspect_putf(out,
                 "<svg class=\"map m%u\" viewBox=\"0 0 %u %u\" data-work=%u data-tile=%u role=img aria-label=\"%s\">"
                 "<image width=%u height=%u preserveAspectRatio=none href=\"data:image/png;base64,",
                 index, work->render.width_px, work->render.height_px, work->number, stats->tile_px, metric->unit,
                 stats->columns * stats->tile_px, stats->rows * stats->tile_px);
    inspect_put_base64(out, (const uint8_t *)png.data, png.size_B);
    inspect_put(out, "\"/></svg>\n");
    inspect_text_finish(&png);
    free(pixels);
}

static void put_caption(struct inspect_text *out, const struct model_stats *stats, unsigned index)
{
    const double most = most_of(stats, &metrics[index]);
    inspect_putf(out, "<figcaption class=\"cap c%u\"><i class=ramp></i> 0 to ", index);
    if (most < 100 && most != (double)(unsigned)most)
        inspect_putf(out, "%.2f", most);
    else
        inspect_put_number(out, (uint64_t)most);
    inspect_putf(out, " %s, in a tile of %u pixels</figcaption>\n", metrics[index].unit, stats->tile_px);
}

void inspect_put_heat(const struct inspect_page *page, const struct inspect_work *work)
{
    const struct model_stats *stats = &work->stats;
    struct inspect_text *out = page->out;
    if (!stats->columns || !work->render.width_px || !work->render.height_px)
        return;
    inspect_put(out, "<figure class=heat>");
    for (unsigned i = 0; i < ARRAY_SIZE(metrics); i++)
        inspect_putf(out, "<input type=radio name=h%u id=h%u-%u%s><label for=h%u-%u>%s</label>", work->number,
                     work->number, i, i ? "" : " checked", work->number, i, metrics[i].name);
    inspect_put(out, "<div class=maps>");
    for (unsigned i = 0; i < ARRAY_SIZE(metrics); i++)
        put_map(out, work, i);
    inspect_put(out, "</div>");
    for (unsigned i = 0; i < ARRAY_SIZE(metrics); i++)
        put_caption(out, stats, i);
    inspect_put(out, "</figure>\n");
}
