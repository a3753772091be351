/* SPDX-License-Identifier: MIT
 *
 * Shows a job's lists as the driver gave them to the kernel: the binning list record by record, each draw with links to
 * the state in effect; shader records with links to their programs; the uniform words of each program.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "hw/cl_gen.h"
#include "hw/qpu.h"
#include "inspect/inspect_page.h"

#define ROWS_MAX     3000u
#define RECORDS_MAX  400u
#define UNIFORMS_MAX 64u  /* uniform words shown per program */
#define STRIDES_AT_B 100u /* offset of the high stride bits in an extended record [hardware notes 6.7] */

static uint32_t word_at(const struct inspect_list *list, uint32_t at_B)
{
    uint32_t word = 0;
    if (at_B + 4 <= list->size_B)
        memcpy(&word, list->data + at_B, 4);
    return word;
}

/* -- the binning list --------------------------------------------------------------------------------------------- */

/* The state in effect: for each packet id, 1 + the offset of the last such packet; 0: none. */
struct in_effect {
    uint32_t last_B[256];
    uint32_t record; /* number of the shader record, from 1 */
};

static bool is_state(uint8_t id)
{
    return id == CL_CONFIGURATION_BITS_ID || id == CL_CLIP_WINDOW_ID || id == CL_VIEWPORT_OFFSET_ID ||
           id == CL_CLIPPER_XY_SCALING_ID || id == CL_CLIPPER_Z_SCALE_OFFSET_ID || id == CL_DEPTH_OFFSET_ID ||
           id == CL_POINT_SIZE_ID || id == CL_LINE_WIDTH_ID || id == CL_FLAT_SHADE_FLAGS_ID ||
           id == CL_PRIMITIVE_LIST_FORMAT_ID;
}

static void put_state_links(const struct inspect_page *page, const struct inspect_work *work,
                            const struct in_effect *state)
{
    struct inspect_text *out = page->out;
    if (state->record)
        inspect_putf(out, "<a href=\"#j%ur%u\">record %u</a>", work->number, state->record, state->record);
    for (unsigned id = 0; id < 256; id++)
        if (state->last_B[id])
            inspect_putf(out, " <a href=\"#j%uc%x\">%s</a>", work->number, state->last_B[id] - 1,
                         cl_packet_info((uint8_t)id)->name);
}

/* Prints one packet, without the newline. */
static void put_packet(struct inspect_text *out, const struct cl_packet_info *info, const uint8_t *at)
{
    char *text = NULL;
    size_t size_B = 0;
    FILE *stream = open_memstream(&text, &size_B);
    if (!stream)
        return;
    info->print(stream, at);
    fclose(stream);
    if (text && size_B && text[size_B - 1] == '\n')
        text[size_B - 1] = 0;
    inspect_put_text(out, text);
    free(text);
}

static void put_row(const struct inspect_page *page, const struct inspect_work *work, uint32_t at_B,
                    const struct cl_packet_info *info, struct in_effect *state)
{
    struct inspect_text *out = page->out;
    const uint8_t *at = work->bin_cl.data + at_B;
    const bool is_draw = at[0] == CL_INDEXED_PRIMITIVES_ID || at[0] == CL_ARRAY_PRIMITIVES_ID;
    inspect_putf(out, "<tr id=j%uc%x%s><td>0x%05x<td><code>", work->number, at_B, is_draw ? " class=draw" : "", at_B);
    put_packet(out, info, at);
    inspect_put(out, "</code><td>");
    if (at[0] == CL_GL_SHADER_STATE_ID) {
        state->record++;
        inspect_putf(out, "sets <a href=\"#j%ur%u\">record %u</a>", work->number, state->record, state->record);
    } else if (is_draw) {
        put_state_links(page, work, state);
    }
    if (is_state(at[0]))
        state->last_B[at[0]] = at_B + 1;
}

static void put_bin_list(const struct inspect_page *page, const struct inspect_work *work)
{
    const struct inspect_list *list = &work->bin_cl;
    struct inspect_text *out = page->out;
    struct in_effect state = {{0}, 0};
    uint32_t rows = 0, at_B = 0;
    inspect_putf(out, "<details><summary>Binning list <span class=right>%u B</span></summary>", list->whole_B);
    inspect_put(out, "<table class=code><thead><tr><th>at<th>record<th>links<tbody>");
    for (; at_B < list->size_B && rows < ROWS_MAX; rows++) {
        const struct cl_packet_info *info = cl_packet_info(list->data[at_B]);
        if (!info || info->size_B > list->size_B - at_B)
            break;
        put_row(page, work, at_B, info, &state);
        at_B += info->size_B;
    }
    inspect_put(out, "</table>");
    if (at_B < list->whole_B)
        inspect_putf(out, "<p class=note>%u B more are not shown.</p>", list->whole_B - at_B);
    inspect_put(out, "</details>\n");
}

/* -- uniforms ----------------------------------------------------------------------------------------------------- */

/* How many texture handles and words a program takes from the uniform stream, counted as the kernel's validator does
 * [kernel vc4_validate_shaders.c, hardware notes 9.6]. */
struct uniform_count {
    uint32_t handles, words;
};

static void count_tmu_write(struct uniform_count *taken, unsigned waddr, unsigned params[2])
{
    if (!qpu_waddr_is_tmu(waddr))
        return;
    const unsigned unit = waddr >= QPU_W_TMU1_S;
    const bool submits = (waddr & 3) == 0, is_direct = submits && !params[unit];
    taken->handles += submits;
    taken->words += !is_direct;
    params[unit] = submits ? 0 : params[unit] + 1;
}

static struct uniform_count count_uniforms(const struct inspect_page_program *p)
{
    struct uniform_count taken = {0};
    unsigned params[2] = {0};
    bool needs_reset = false;
    for (uint32_t n = 0; n < p->count; n++) {
        const struct qpu_instr i = qpu_decode(p->words[n]);
        if (i.sig == QPU_SIG_BRANCH) {
            needs_reset |= (int32_t)i.imm < 0;
            continue;
        }
        if (i.sig != QPU_SIG_LOAD_IMM)
            taken.words += i.raddr_a == QPU_R_UNIFORM || (i.sig != QPU_SIG_SMALL_IMM && i.raddr_b == QPU_R_UNIFORM);
        count_tmu_write(&taken, i.waddr_add, params);
        count_tmu_write(&taken, i.waddr_mul, params);
        if ((i.waddr_add == QPU_W_UNIFORMS_ADDRESS && !i.ws) || (i.waddr_mul == QPU_W_UNIFORMS_ADDRESS && i.ws))
            needs_reset = false;
    }
    taken.words += needs_reset;
    return taken;
}

/* Advances `*at_B` past the program's words. False when their end is unknown. */
static bool put_uniforms(const struct inspect_page *page, const struct inspect_work *work, uint32_t program,
                         uint32_t *at_B)
{
    struct inspect_text *out = page->out;
    if (program == UINT32_MAX)
        return false;
    const struct uniform_count taken = count_uniforms(&page->programs[program]);
    if (*at_B + 4 * (taken.handles + taken.words) > work->uniforms.size_B)
        return false;
    inspect_putf(out, "<details class=words><summary>%u uniform words, %u textures</summary>", taken.words,
                 taken.handles);
    for (uint32_t i = 0; i < taken.handles; i++)
        inspect_putf(out, "<code>BO %u</code> ", word_at(&work->uniforms, *at_B + 4 * i));
    *at_B += 4 * taken.handles;
    for (uint32_t i = 0; i < MIN2(taken.words, UNIFORMS_MAX); i++) {
        const uint32_t word = word_at(&work->uniforms, *at_B + 4 * i);
        inspect_putf(out, "<code title=\"%.9g\">%08" PRIx32 "</code> ", (double)util_uif(word), word);
    }
    if (taken.words > UNIFORMS_MAX)
        inspect_putf(out, "and %u more", taken.words - UNIFORMS_MAX);
    *at_B += 4 * taken.words;
    inspect_put(out, "</details>");
    return true;
}

/* -- records ------------------------------------------------------------------------------------------------------ */

static uint32_t program_at(const struct inspect_page *page, const struct inspect_work *work, enum model_stage stage,
                           uint32_t bo_index, uint32_t offset_B)
{
    if (bo_index >= work->bo_count || !work->bos[bo_index].addr)
        return UINT32_MAX;
    const uint32_t addr = work->bos[bo_index].addr + offset_B;
    for (uint32_t i = 0; i < work->stats.program_count; i++)
        if (work->stats.programs[i].stage == stage && work->stats.programs[i].code_addr == addr)
            return inspect_page_program(page, &work->stats.programs[i]);
    return UINT32_MAX;
}

struct position {
    uint32_t record, record_B; /* number, from 1; offset in the stream */
    uint32_t uniforms_B;
    bool knows_uniforms;
};

static void put_stage(const struct inspect_page *page, const struct inspect_work *work, struct position *position,
                      enum model_stage stage, uint32_t bo_index, uint32_t offset_B)
{
    struct inspect_text *out = page->out;
    const uint32_t program = program_at(page, work, stage, bo_index, offset_B);
    inspect_putf(out, "<tr><td>%s<td>", inspect_stage_name(stage));
    if (program == UINT32_MAX)
        inspect_put(out, "<small>did not run</small>");
    else
        inspect_put_program_link(page, program);
    inspect_putf(out, "<td>BO %u+0x%x<td>", bo_index, offset_B);
    position->knows_uniforms = position->knows_uniforms && put_uniforms(page, work, program, &position->uniforms_B);
    if (!position->knows_uniforms)
        inspect_put(out, work->is_engine ? "<small>in memory</small>" : "<small>not known from here on</small>");
}

static bool put_record(const struct inspect_page *page, const struct inspect_work *work, struct position *position,
                       uint32_t count, bool extended)
{
    struct inspect_text *out = page->out;
    const uint32_t at_B = position->record_B + 4 * (3 + count); /* after the BO indices */
    const uint32_t size_B =
        extended ? STRIDES_AT_B + 4 * count : CL_GL_SHADER_RECORD_SIZE_B + count * CL_ATTRIBUTE_RECORD_SIZE_B;
    const struct inspect_list *list = &work->shader_rec;
    struct cl_gl_shader_record rec;
    if (at_B + size_B > list->size_B)
        return false;
    cl_gl_shader_record_unpack(list->data + at_B, &rec);
    inspect_putf(out, "<details id=j%ur%u class=record><summary>Record %u: %u attributes, %u varyings</summary>",
                 work->number, position->record, position->record, count, rec.fs_varyings);
    inspect_put(out, "<table><thead><tr><th>stage<th>program<th>code<th>uniforms<tbody>");
    put_stage(page, work, position, MODEL_STAGE_FRAGMENT, word_at(list, position->record_B), rec.fs_code);
    put_stage(page, work, position, MODEL_STAGE_VERTEX, word_at(list, position->record_B + 4), rec.vs_code);
    put_stage(page, work, position, MODEL_STAGE_COORDINATE, word_at(list, position->record_B + 8), rec.cs_code);
    inspect_put(out, "</table>");
    if (count)
        inspect_put(out, "<table><thead><tr><th>attribute<th>from<th>bytes<th>stride<tbody>");
    for (uint32_t i = 0; i < count; i++) {
        struct cl_attribute_record a;
        cl_attribute_record_unpack(list->data + at_B + CL_GL_SHADER_RECORD_SIZE_B + i * CL_ATTRIBUTE_RECORD_SIZE_B, &a);
        if (extended)
            a.stride_B |= word_at(list, at_B + STRIDES_AT_B + 4 * i) & ~0xffu;
        inspect_putf(out, "<tr><td>%u<td>BO %u+0x%x<td class=n>%u<td class=n>%u", i,
                     word_at(list, position->record_B + 12 + 4 * i), a.address, a.size_minus_1_B + 1, a.stride_B);
    }
    inspect_put(out, count ? "</table></details>\n" : "</details>\n");
    position->record_B = at_B + size_B;
    return true;
}

/* Walks the binning list, because its packets give the order of the records and their attribute counts. */
static void put_records(const struct inspect_page *page, const struct inspect_work *work)
{
    const struct inspect_list *list = &work->bin_cl;
    struct inspect_text *out = page->out;
    struct position position = {.knows_uniforms = !work->is_engine};
    inspect_putf(out,
                 "<details><summary>Shader records and uniforms <span class=right>%u records, %u B, and %u B of "
                 "uniforms</span></summary>",
                 work->shader_rec_count, work->shader_rec.whole_B, work->uniforms.whole_B);
    for (uint32_t at_B = 0; at_B < list->size_B && position.record < RECORDS_MAX;) {
        const struct cl_packet_info *info = cl_packet_info(list->data[at_B]);
        if (!info || info->size_B > list->size_B - at_B)
            break;
        if (list->data[at_B] == CL_GL_SHADER_STATE_ID) {
            struct cl_gl_shader_state s;
            cl_gl_shader_state_unpack(list->data + at_B, &s);
            position.record++;
            if (!put_record(page, work, &position, s.attribute_count ? s.attribute_count : 8, s.extended))
                break;
        }
        at_B += info->size_B;
    }
    if (position.record < work->shader_rec_count)
        inspect_putf(out, "<p class=note>%u records more are not shown.</p>", work->shader_rec_count - position.record);
    inspect_put(out, "</details>\n");
}

static void put_bos(const struct inspect_page *page, const struct inspect_work *work)
{
    struct inspect_text *out = page->out;
    inspect_putf(out,
                 "<details><summary>Buffer objects <span class=right>%u</span></summary><table><thead><tr><th>BO"
                 "<th>handle<th>kind<th>bytes<th>address in the model<tbody>",
                 work->bo_count);
    for (uint32_t i = 0; i < work->bo_count; i++) {
        inspect_putf(out, "<tr><td>%u<td>%u<td>%s<td class=n>", i, work->bos[i].handle,
                     work->bos[i].is_shader ? "program" : "memory");
        inspect_put_number(out, work->bos[i].size_B);
        inspect_putf(out, "<td><code>0x%08" PRIx32 "</code>", work->bos[i].addr);
    }
    inspect_put(out, "</table></details>\n");
}

void inspect_put_lists(const struct inspect_page *page, const struct inspect_work *work)
{
    if (!work->has_lists || !work->keeps_details)
        return;
    if (work->bin_cl.whole_B) {
        put_bin_list(page, work);
        put_records(page, work);
    } else {
        inspect_put(page->out, "<p class=note>Nothing is drawn: there is no binning list.</p>");
    }
    put_bos(page, work);
}
