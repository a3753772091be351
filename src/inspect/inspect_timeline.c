/* SPDX-License-Identifier: MIT
 *
 * The timeline: what ran on this machine when, one row per engine or stage. The times are those of the model while it
 * counts, not of a chip.
 */
#include "inspect/inspect_page.h"

#define WIDTH 1000.0
#define LABEL 150.0
#define ROW   22.0

enum row { ROW_QUEUE, ROW_BINNING, ROW_RENDERING, ROW_CPU, ROW_PRESENT, ROWS };

struct scale {
    uint64_t begin_ns, end_ns;
};

static void extend(struct scale *scale, uint64_t ns)
{
    if (!ns)
        return;
    scale->begin_ns = scale->begin_ns ? MIN2(scale->begin_ns, ns) : ns;
    scale->end_ns = MAX2(scale->end_ns, ns);
}

static double at(const struct scale *scale, uint64_t ns)
{
    return LABEL + (WIDTH - LABEL) * (double)(ns - scale->begin_ns) / (double)(scale->end_ns - scale->begin_ns);
}

static void put_span(struct inspect_text *out, const struct scale *scale, enum row row, uint64_t begin_ns,
                     uint64_t end_ns, const struct inspect_work *work)
{
    if (!begin_ns || end_ns < begin_ns || begin_ns < scale->begin_ns || end_ns > scale->end_ns)
        return;
    const double x = at(scale, begin_ns), width = MAX2(at(scale, end_ns) - x, 0.6);
    if (work)
        inspect_putf(out, "<a href=\"#j%u\">", work->number);
    inspect_putf(out, "<rect class=\"r%u\" x=%.2f y=%.1f width=%.2f height=%.1f><title>", row, x, row * ROW + 3, width,
                 ROW - 6);
    if (work) {
        inspect_putf(out, "%u: ", work->number);
        inspect_put_text(out, work->name);
    } else {
        inspect_put(out, "present");
    }
    inspect_putf(out, ", %.3f ms, at %.3f ms</title></rect>", (double)(end_ns - begin_ns) * 1e-6,
                 (double)(begin_ns - scale->begin_ns) * 1e-6);
    inspect_put(out, work ? "</a>\n" : "\n");
}

static void put_work(struct inspect_text *out, const struct scale *scale, const struct inspect_work *work)
{
    const struct model_stats *s = &work->stats;
    put_span(out, scale, ROW_QUEUE, work->queued_ns, work->started_ns, work);
    if (!work->is_job || work->is_engine) {
        put_span(out, scale, ROW_CPU, work->started_ns, work->finished_ns, work);
        return;
    }
    put_span(out, scale, ROW_BINNING, s->bin_begin_ns, s->bin_end_ns, work);
    put_span(out, scale, ROW_RENDERING, s->render_begin_ns, s->render_end_ns, work);
}

static void put_ticks(struct inspect_text *out, const struct scale *scale)
{
    const double whole_ms = (double)(scale->end_ns - scale->begin_ns) * 1e-6;
    for (unsigned i = 0; i <= 4; i++) {
        const double x = LABEL + (WIDTH - LABEL) * i / 4;
        inspect_putf(out,
                     "<line x1=%.1f x2=%.1f y1=0 y2=%.1f class=tick /><text x=%.1f y=%.1f class=\"ticks t%u\">"
                     "%.2f ms</text>",
                     x, x, ROWS * ROW, x, ROWS * ROW + 13, i, whole_ms * i / 4);
    }
}

void inspect_put_timeline(const struct inspect_page *page)
{
    static const char *const names[ROWS] = {[ROW_QUEUE] = "waiting in queues",
                                            [ROW_BINNING] = "chip: binning",
                                            [ROW_RENDERING] = "chip: rendering",
                                            [ROW_CPU] = "CPU operations",
                                            [ROW_PRESENT] = "presenting"};
    struct inspect_text *out = page->out;
    const struct inspect_frame *frame = page->frame;
    struct scale scale = {0, 0};
    util_list_for_each(struct inspect_work, work, &frame->works, link) {
        extend(&scale, work->queued_ns);
        extend(&scale, work->finished_ns);
    }
    for (uint32_t i = 0; i < frame->present_count; i++)
        extend(&scale, frame->presents[i].end_ns);
    if (scale.end_ns <= scale.begin_ns)
        return;
    inspect_putf(out,
                 "<section id=timeline><h2>Timeline</h2><p class=note>What the model on this machine did. While it "
                 "counts it interprets every program on one thread, and one job waits for the other: the order is "
                 "the frame's, the lengths are not those of a chip, nor of a frame that nobody inspects.</p>"
                 "<svg class=timeline viewBox=\"0 0 %.0f %.0f\" role=img aria-label=timeline>",
                 WIDTH + 4, ROWS * ROW + 18);
    put_ticks(out, &scale);
    for (unsigned row = 0; row < ROWS; row++)
        inspect_putf(out, "<text x=0 y=%.1f>%s</text>", row * ROW + 15, names[row]);
    util_list_for_each(struct inspect_work, work, &frame->works, link)
        put_work(out, &scale, work);
    for (uint32_t i = 0; i < frame->present_count; i++)
        put_span(out, &scale, ROW_PRESENT, frame->presents[i].begin_ns, frame->presents[i].end_ns, NULL);
    inspect_put(out, "</svg></section>\n");
}
