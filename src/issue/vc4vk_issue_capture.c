/* SPDX-License-Identifier: MIT
 *
 * A primitive is captured if all buffers that its stream writes have room for all its vertices; if not, none of it is.
 */
#include <string.h>
#include "hw/qpu.h"
#include "issue/vc4vk_issue_capture.h"

/* ---------------------------------------------------------------- begin and end of transform feedback */

static uint8_t *counter_at(const struct vc4vk_capture_place *place)
{
    uint8_t *map = place->bo ? kmd_bo_map(place->bo) : NULL;
    const bool holds = map && place->bo->size_B >= 4 && place->offset_B <= place->bo->size_B - 4;
    return holds ? map + place->offset_B : NULL;
}

VkResult vc4vk_run_begin_capture(void *arguments)
{
    const struct vc4vk_capture_counters *c = arguments;
    for (uint32_t i = 0; i < VC4C_MAX_CAPTURE_BUFFERS; i++) {
        const uint8_t *counter = counter_at(&c->counters[i]);
        c->capture->written_B[i] = 0;
        if (counter)
            memcpy(&c->capture->written_B[i], counter, sizeof(uint32_t));
    }
    return VK_SUCCESS;
}

VkResult vc4vk_run_end_capture(void *arguments)
{
    const struct vc4vk_capture_counters *c = arguments;
    for (uint32_t i = 0; i < VC4C_MAX_CAPTURE_BUFFERS; i++) {
        uint8_t *counter = counter_at(&c->counters[i]);
        if (counter)
            memcpy(counter, &c->capture->written_B[i], sizeof(uint32_t));
    }
    return VK_SUCCESS;
}

/* ---------------------------------------------------------------- primitives */

void vc4vk_issue_capture_begin(struct vc4vk_issue_capture *c, struct vc4vk_capture *to,
                               const struct vc4c_interface *writer, bool last_provokes)
{
    *c = (struct vc4vk_issue_capture){.to = to,
                                      .what = &writer->capture,
                                      .last_provokes = last_provokes,
                                      .vertices = writer->geometry.output_vertices};
    for (uint32_t i = 0; i < writer->capture.count; i++)
        c->buffer_masks[writer->capture.words[i].stream] |= BIT(writer->capture.words[i].buffer);
}

static uint8_t *buffer_at(const struct vc4vk_issue_capture *c, uint32_t i, uint32_t size_B)
{
    const struct vc4vk_capture_place *at = &c->to->buffers[i].at;
    uint8_t *map = at->bo ? kmd_bo_map(at->bo) : NULL;
    if (!map || c->to->written_B[i] + (uint64_t)size_B > c->to->buffers[i].size_B)
        return NULL;
    return map + at->offset_B + c->to->written_B[i];
}

static void store(const struct vc4vk_issue_capture *c, uint32_t stream, const uint32_t *record, uint32_t vertex,
                  uint8_t *const buffers[VC4C_MAX_CAPTURE_BUFFERS])
{
    for (uint32_t i = 0; i < c->what->count; i++) {
        const struct vc4c_captured_word *w = &c->what->words[i];
        if (w->stream == stream && w->offset_B + 4u <= c->what->strides_B[w->buffer])
            memcpy(buffers[w->buffer] + vertex * c->what->strides_B[w->buffer] + w->offset_B,
                   &record[w->word * QPU_LANES], sizeof *record);
    }
}

void vc4vk_issue_capture_primitive(struct vc4vk_issue_capture *c, uint32_t stream, const uint32_t *const *records,
                                   uint32_t count)
{
    uint8_t *buffers[VC4C_MAX_CAPTURE_BUFFERS] = {NULL};
    bool fits = c->to && c->buffer_masks[stream];
    c->primitives[stream].needed++;
    for (uint32_t i = 0; fits && i < VC4C_MAX_CAPTURE_BUFFERS; i++) {
        if (!(c->buffer_masks[stream] & BIT(i)))
            continue;
        buffers[i] = buffer_at(c, i, count * c->what->strides_B[i]);
        fits &= buffers[i] != NULL;
    }
    if (!fits)
        return;
    for (uint32_t k = 0; k < count; k++)
        store(c, stream, records[k], k, buffers);
    for (uint32_t i = 0; i < VC4C_MAX_CAPTURE_BUFFERS; i++)
        c->to->written_B[i] += buffers[i] ? count * c->what->strides_B[i] : 0;
    c->primitives[stream].written++;
}

/* Triangle `i` of a strip of records a, b, c begins, or ends, with the vertex that provokes. */
static void capture_triangle(struct vc4vk_issue_capture *c, uint32_t stream, uint32_t i, const uint32_t *const v[3])
{
    const bool is_odd = i & 1;
    const uint32_t *const first[] = {v[0], v[is_odd ? 2 : 1], v[is_odd ? 1 : 2]}, *const last[] = {v[is_odd],
                                                                                                   v[!is_odd], v[2]};
    vc4vk_issue_capture_primitive(c, stream, c->last_provokes ? last : first, 3);
}

void vc4vk_issue_capture_vertex(struct vc4vk_issue_capture *c, uint32_t stream, bool begins, const uint32_t *record)
{
    if (begins)
        c->strips[stream].count = 0;
    const uint32_t number = c->strips[stream].count++;
    const uint32_t *const v[] = {c->strips[stream].records[1], c->strips[stream].records[0], record};
    if (number + 1 >= c->vertices && c->vertices == 3)
        capture_triangle(c, stream, number - 2, v);
    else if (number + 1 >= c->vertices)
        vc4vk_issue_capture_primitive(c, stream, v + 3 - c->vertices, c->vertices);
    c->strips[stream].records[1] = c->strips[stream].records[0];
    c->strips[stream].records[0] = record;
}
