/* SPDX-License-Identifier: MIT
 *
 * vc4-cl FILE.vc4trace: prints the control lists of every SUBMIT of a trace: the packets of the binning list, the
 * shader record and attributes of each GL shader state, and the surfaces and tile range of the render list.
 *
 * Nothing is validated. After an unknown or truncated packet the tool prints a message and skips the rest of the list.
 */
#include <stdio.h>
#include <string.h>
#include "hw/cl_gen.h"
#include "tools/options.h"
#include "tools/trace.h"

/* The shader records that are left. Each GL shader state packet takes the next one. */
struct records {
    const uint8_t *next;
    uint32_t left_B;
    uint32_t count;
};

static uint32_t load_u32(const uint8_t *at)
{
    uint32_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

static void print_shader_record(struct records *r, const uint8_t *packet)
{
    struct cl_gl_shader_state state;
    cl_gl_shader_state_unpack(packet, &state);
    uint32_t n = state.attribute_count ? state.attribute_count : 8;
    uint32_t size_B = state.extended ? 100 + 4 * n : 36 + 8 * n, handles_B = 4 * (3 + n);
    if (handles_B + size_B > r->left_B) {
        printf("    shader record %u: missing, the data is too short\n", r->count++);
        return;
    }
    printf("    shader record %u: fs=bo%u vs=bo%u cs=bo%u\n", r->count++, load_u32(r->next), load_u32(r->next + 4),
           load_u32(r->next + 8));
    const uint8_t *record = r->next + handles_B;
    struct cl_gl_shader_record fields;
    cl_gl_shader_record_unpack(record, &fields);
    printf("      ");
    cl_gl_shader_record_print(stdout, &fields);
    for (uint32_t i = 0; i < n; i++) {
        struct cl_attribute_record attribute;
        cl_attribute_record_unpack(record + CL_GL_SHADER_RECORD_SIZE_B + i * CL_ATTRIBUTE_RECORD_SIZE_B, &attribute);
        printf("      bo%u ", load_u32(r->next + 12 + 4 * i));
        cl_attribute_record_print(stdout, &attribute);
        if (state.extended)
            printf("        stride bits 31:8: 0x%x\n", load_u32(record + 100 + 4 * i) & ~0xffu);
    }
    r->next += handles_B + size_B;
    r->left_B -= handles_B + size_B;
}

static void print_list(const struct trace_submit *s)
{
    struct records records = {s->shader_rec, s->args.shader_rec_size, 0};
    for (uint32_t at = 0; at < s->args.bin_cl_size;) {
        const struct cl_packet_info *info = cl_packet_info(s->bin_cl[at]);
        if (!info || info->size_B > s->args.bin_cl_size - at) {
            printf("  %6u: unknown or truncated packet %u, the rest is skipped\n", at, s->bin_cl[at]);
            return;
        }
        printf("  %6u: ", at);
        info->print(stdout, s->bin_cl + at);
        if (s->bin_cl[at] == CL_GL_SHADER_STATE_ID)
            print_shader_record(&records, s->bin_cl + at);
        at += info->size_B;
    }
}

static void print_surface(const char *name, const struct drm_vc4_submit_rcl_surface *surf)
{
    if (surf->hindex != UINT32_MAX)
        printf("  %s: bo%u offset=%u bits=0x%x flags=0x%x\n", name, surf->hindex, surf->offset, surf->bits,
               surf->flags);
}

static void print_submit(const struct trace_submit *s, uint32_t index)
{
    const struct drm_vc4_submit_cl *a = &s->args;
    printf("submit %u: %u x %u px, tiles %u,%u to %u,%u, flags 0x%x\n", index, a->width, a->height, a->min_x_tile,
           a->min_y_tile, a->max_x_tile, a->max_y_tile, a->flags);
    printf("  buffers:");
    for (uint32_t i = 0; i < a->bo_handle_count; i++)
        printf(" bo%u=handle %u", i, load_u32(s->bo_handles + 4 * i));
    printf("\n  list %u B, %u shader records %u B, uniforms %u B\n", a->bin_cl_size, a->shader_rec_count,
           a->shader_rec_size, a->uniforms_size);
    if (a->flags & VC4_SUBMIT_CL_USE_CLEAR_COLOR)
        printf("  clear color=0x%08x,0x%08x z=0x%06x stencil=0x%02x\n", a->clear_color[0], a->clear_color[1],
               a->clear_z, a->clear_s);
    print_surface("color_read", &a->color_read);
    print_surface("color_write", &a->color_write);
    print_surface("zs_read", &a->zs_read);
    print_surface("zs_write", &a->zs_write);
    print_surface("msaa_color_write", &a->msaa_color_write);
    print_surface("msaa_zs_write", &a->msaa_zs_write);
    print_list(s);
}

static const struct tool tool = {
    .usage = "usage: vc4-cl FILE.vc4trace\n"
             "Prints the control lists of every job of a trace.\n",
    .options = (const struct option[]){TOOL_LAST_OPTIONS},
};

int main(int argc, char **argv)
{
    const int first = tool_skip_options(&tool, argc, argv);
    if (argc - first != 1)
        return tool_wrong_use(&tool);
    struct trace trace;
    if (!trace_open(&trace, argv[first]))
        return 1;
    struct trace_record rec = {0};
    uint32_t submits = 0;
    bool ok = true;
    while (ok && rec.type != TRACE_END) {
        struct trace_submit submit;
        ok = trace_next(&trace, &rec);
        if (!ok || rec.type != TRACE_SUBMIT)
            continue;
        ok = trace_get_submit(&rec, &submit);
        if (ok)
            print_submit(&submit, submits++);
    }
    trace_close(&trace);
    return ok ? 0 : 1;
}
