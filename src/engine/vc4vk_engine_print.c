/* SPDX-License-Identifier: MIT
 *
 * What VC4VK_DEBUG=jobs and =cl show, and what is shown of a job that the kernel refused.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "hw/cl_gen.h"
#include "engine/vc4vk_engine_private.h"
#include "util/debug.h"
#include "util/log.h"

static const char *class_name(enum vc4vk_job_class class)
{
    static const char *const names[] = {
        [VC4VK_JOB_NATIVE] = "native", [VC4VK_JOB_LOWERED] = "lowered", [VC4VK_JOB_CPU] = "CPU"};
    return names[class];
}

static void print_surface(char *out, size_t out_B, const char *name, const struct kmd_surface *surface)
{
    if (surface->bo_index == KMD_NO_BO)
        out[0] = 0;
    else
        snprintf(out, out_B, ", %s BO %" PRIu32 "+0x%" PRIx32 " bits 0x%x", name, surface->bo_index, surface->offset_B,
                 surface->bits);
}

void vc4vk_print_job(const struct vc4vk_context *context, uint64_t value, const struct vc4vk_job *job,
                     const struct vc4vk_job_build *build)
{
    const struct kmd_render *render = &build->render;
    char surfaces[4][64];
    print_surface(surfaces[0], sizeof surfaces[0], "loads colour", &render->color_read);
    print_surface(surfaces[1], sizeof surfaces[1], "loads Z/S", &render->zs_read);
    print_surface(surfaces[2], sizeof surfaces[2], "stores colour", &render->color_write);
    print_surface(surfaces[3], sizeof surfaces[3], "stores Z/S", &render->zs_write);
    util_info("queue %" PRIu32 ".%" PRIu32 " job %" PRIu64 " %s (%s): %ux%u, tiles %u..%u x %u..%u, list %" PRIu32
              " B, %" PRIu32 " records %" PRIu32 " B, uniforms %" PRIu32 " B, %" PRIu32 " BOs%s%s%s%s",
              context->family, context->index, value, job->name, class_name(job->class), render->width_px,
              render->height_px, render->min_x_tl, render->max_x_tl, render->min_y_tl, render->max_y_tl,
              build->bin_cl.size_B, build->shader_rec_count, build->shader_rec.size_B, build->uniforms.size_B,
              build->bo_count, surfaces[0], surfaces[1], surfaces[2], surfaces[3]);
}

void vc4vk_print_cpu_op(const struct vc4vk_context *context, uint64_t value, const struct vc4vk_cpu_op *op)
{
    char text[160] = "";
    if (op->describe)
        op->describe(op->arguments, text, sizeof text);
    util_info("queue %" PRIu32 ".%" PRIu32 " CPU operation %" PRIu64 " %s%s%s", context->family, context->index, value,
              op->name, text[0] ? ": " : "", text);
}

static void print_list(const uint8_t *list, uint32_t size_B)
{
    for (uint32_t at_B = 0; at_B < size_B;) {
        const struct cl_packet_info *info = cl_packet_info(list[at_B]);
        if (!info || info->size_B > size_B - at_B) {
            fprintf(stderr, "  0x%05" PRIx32 "  id %u: %s\n", at_B, list[at_B],
                    info ? "cut off by the end of the list" : "no such packet");
            return;
        }
        fprintf(stderr, "  0x%05" PRIx32 "  ", at_B);
        info->print(stderr, list + at_B);
        at_B += info->size_B;
    }
}

void vc4vk_print_bin_cl(const struct vc4vk_job_build *build)
{
    print_list(build->bin_cl.data, build->bin_cl.size_B);
}

/* -- hangs -------------------------------------------------------------------------------------------------------- */

struct vc4vk_kept_job {
    const char *name;
    struct kmd_render render;
    uint32_t bin_cl_B;
    uint8_t bin_cl[];
};

struct vc4vk_kept_job *vc4vk_keep_job(const struct vc4vk_job *job, const struct vc4vk_job_build *build)
{
    if (!util_debug(UTIL_DEBUG_HANG))
        return NULL;
    struct vc4vk_kept_job *kept = malloc(sizeof *kept + build->bin_cl.size_B);
    if (!kept)
        return NULL;
    *kept = (struct vc4vk_kept_job){.name = job->name, .render = build->render, .bin_cl_B = build->bin_cl.size_B};
    if (kept->bin_cl_B)
        memcpy(kept->bin_cl, build->bin_cl.data, kept->bin_cl_B);
    return kept;
}

void vc4vk_print_kept_job(const struct vc4vk_context *context, uint64_t value, const struct vc4vk_kept_job *kept)
{
    util_info(
        "queue %" PRIu32 ".%" PRIu32 " job %" PRIu64 " %s hung: %ux%u, binning list of %" PRIu32 " B:", context->family,
        context->index, value, kept->name, kept->render.width_px, kept->render.height_px, kept->bin_cl_B);
    print_list(kept->bin_cl, kept->bin_cl_B);
}
