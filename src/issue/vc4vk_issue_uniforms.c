/* SPDX-License-Identifier: MIT
 *
 * Uniform streams: for each program the handles of its lookups, then its words in the order in which it reads them. One
 * pass over the program's recipe writes them; descriptors are resolved through the draw's binding table at this time.
 */
#include <math.h>
#include <string.h>
#include "issue/vc4vk_issue_private.h"
#include "issue/vc4vk_program_descriptors.h"

struct words {
    struct vc4vk_program_descriptors descriptors;
    const struct vc4vk_draw_state *state;
    int32_t base_vertex;
    uint32_t instance;
    struct kmd_bo *tables; /* of the program; NULL: it has none */
    const uint32_t *exprs; /* results of the program's expressions */
    const struct vc4vk_issue *issue;
    const struct vc4vk_issue_engine_program *engine; /* NULL: for the chip */
    const struct vc4vk_issue_spill *spill;           /* of vertex programs; else NULL */
};

/* ORDER binding table (vc4vk_pipeline_stage.c): buffers, then view and sampler per texture. */
const struct vc4vk_surface_state *vc4vk_program_buffer(const struct vc4vk_program_descriptors *d, uint32_t ref)
{
    return vc4vk_binding_table_resolve(d->pool, d->table, d->first_slot + ref);
}

const struct vc4vk_surface_state *vc4vk_program_texture(const struct vc4vk_program_descriptors *d, uint32_t ref,
                                                        bool sampler)
{
    return vc4vk_binding_table_resolve(d->pool, d->table, d->first_slot + d->program->buffer_count + 2 * ref + sampler);
}

/* A word of a buffer's contents; zero beyond its end. */
static uint32_t buffer_contents_word(const struct vc4vk_surface_state *state, uint32_t offset_B)
{
    uint32_t size_B, word = 0;
    const uint8_t *contents = vc4vk_buffer_contents(state, &size_B);
    if (contents && offset_B < size_B)
        memcpy(&word, contents + offset_B, MIN2(size_B - offset_B, sizeof word));
    return word;
}

static uint32_t limit_word(const struct vc4vk_surface_state *state, uint32_t span_B)
{
    uint32_t limit_B = vc4vk_buffer_word(state, VC4VK_BUFFER_LIMIT);
    return limit_B - MIN2(span_B, limit_B);
}

static uint32_t base_word(const struct vc4vk_surface_state *state, uint32_t more_B)
{
    return vc4vk_buffer_word(state, VC4VK_BUFFER_BASE) + MIN2(more_B, vc4vk_buffer_word(state, VC4VK_BUFFER_LIMIT));
}

static uint32_t tex_word(const struct vc4vk_program_descriptors *d, const struct vc4c_uniform *u,
                         enum vc4vk_tex_word word)
{
    bool fetch_only = d->program->textures[u->ref].fetch_only;
    return vc4vk_tex_word(vc4vk_program_texture(d, u->ref, false),
                          fetch_only ? NULL : vc4vk_program_texture(d, u->ref, true), word, u->data);
}

bool vc4vk_program_descriptor_word(const struct vc4vk_program_descriptors *d, const struct vc4c_uniform *u,
                                   uint32_t *out)
{
    switch ((enum vc4c_uniform_kind)u->kind) {
    case VC4C_UNIFORM_BUFFER_WORD:
        *out = buffer_contents_word(vc4vk_program_buffer(d, u->ref), u->data);
        return true;
    case VC4C_UNIFORM_BUFFER_LIMIT:
        *out = limit_word(vc4vk_program_buffer(d, u->ref), u->data);
        return true;
    case VC4C_UNIFORM_BUFFER_BASE:
        *out = base_word(vc4vk_program_buffer(d, u->ref), u->data);
        return true;
    case VC4C_UNIFORM_BUFFER_SIZE:
        *out = vc4vk_buffer_word(vc4vk_program_buffer(d, u->ref), VC4VK_BUFFER_SIZE);
        return true;
    case VC4C_UNIFORM_TEX_ZERO:
        *out = 0;
        return true;
    case VC4C_UNIFORM_TEX_P0:
        *out = tex_word(d, u, VC4VK_TEX_P0);
        return true;
    case VC4C_UNIFORM_TEX_P1:
        *out = tex_word(d, u, VC4VK_TEX_P1);
        return true;
    case VC4C_UNIFORM_TEX_P2_LOD:
        *out = tex_word(d, u, VC4VK_TEX_P2_LOD);
        return true;
    case VC4C_UNIFORM_TEX_BORDER:
        *out = tex_word(d, u, VC4VK_TEX_BORDER);
        return true;
    case VC4C_UNIFORM_TEX_WIDTH_F:
        *out = tex_word(d, u, VC4VK_TEX_WIDTH_F);
        return true;
    case VC4C_UNIFORM_TEX_HEIGHT_F:
        *out = tex_word(d, u, VC4VK_TEX_HEIGHT_F);
        return true;
    case VC4C_UNIFORM_TEX_DEPTH_F:
        *out = tex_word(d, u, VC4VK_TEX_DEPTH_F);
        return true;
    case VC4C_UNIFORM_TEX_RCP_WIDTH_F:
        *out = tex_word(d, u, VC4VK_TEX_RCP_WIDTH_F);
        return true;
    case VC4C_UNIFORM_TEX_RCP_HEIGHT_F:
        *out = tex_word(d, u, VC4VK_TEX_RCP_HEIGHT_F);
        return true;
    case VC4C_UNIFORM_TEX_RCP_DEPTH_F:
        *out = tex_word(d, u, VC4VK_TEX_RCP_DEPTH_F);
        return true;
    case VC4C_UNIFORM_TEX_WIDTH_I:
        *out = tex_word(d, u, VC4VK_TEX_WIDTH_I);
        return true;
    case VC4C_UNIFORM_TEX_HEIGHT_I:
        *out = tex_word(d, u, VC4VK_TEX_HEIGHT_I);
        return true;
    case VC4C_UNIFORM_TEX_DEPTH_I:
        *out = tex_word(d, u, VC4VK_TEX_DEPTH_I);
        return true;
    case VC4C_UNIFORM_TEX_LEVELS_I:
        *out = tex_word(d, u, VC4VK_TEX_LEVELS_I);
        return true;
    case VC4C_UNIFORM_TEX_SAMPLES_I:
        *out = tex_word(d, u, VC4VK_TEX_SAMPLES_I);
        return true;
    case VC4C_UNIFORM_TEX_LOD_BIAS_F:
        *out = tex_word(d, u, VC4VK_TEX_LOD_BIAS_F);
        return true;
    case VC4C_UNIFORM_TEX_LOD_MIN_F:
        *out = tex_word(d, u, VC4VK_TEX_LOD_MIN_F);
        return true;
    case VC4C_UNIFORM_TEX_LOD_MAX_F:
        *out = tex_word(d, u, VC4VK_TEX_LOD_MAX_F);
        return true;
    case VC4C_UNIFORM_TEX_BASE_LEVEL_F:
        *out = tex_word(d, u, VC4VK_TEX_BASE_LEVEL_F);
        return true;
    case VC4C_UNIFORM_TEX_LAST_LEVEL_F:
        *out = tex_word(d, u, VC4VK_TEX_LAST_LEVEL_F);
        return true;
    case VC4C_UNIFORM_TEX_MIP_LINEAR_I:
        *out = tex_word(d, u, VC4VK_TEX_MIP_LINEAR_I);
        return true;
    case VC4C_UNIFORM_DIRECT_LIMIT:
        *out = tex_word(d, u, VC4VK_TEX_DIRECT_LIMIT);
        return true;
    case VC4C_UNIFORM_DIRECT_BASE:
        *out = tex_word(d, u, VC4VK_TEX_DIRECT_BASE);
        return true;
    case VC4C_UNIFORM_DIRECT_LEVEL:
        *out = tex_word(d, u, VC4VK_TEX_DIRECT_LEVEL);
        return true;
    case VC4C_UNIFORM_DIRECT_PITCH:
        *out = tex_word(d, u, VC4VK_TEX_DIRECT_PITCH);
        return true;
    case VC4C_UNIFORM_DIRECT_LAYER:
        *out = tex_word(d, u, VC4VK_TEX_DIRECT_LAYER);
        return true;
    case VC4C_UNIFORM_DIRECT_WORD:
        *out = tex_word(d, u, VC4VK_TEX_DIRECT_WORD);
        return true;
    case VC4C_UNIFORM_DIRECT_T_LEVELS:
        *out = tex_word(d, u, VC4VK_TEX_DIRECT_T_LEVELS);
        return true;
    default:
        return false;
    }
}

static uint32_t push_word(const struct words *w, uint32_t offset_B)
{
    return offset_B < VC4VK_MAX_PUSH_B ? w->state->push[offset_B / 4] : 0;
}

static uint32_t engine_addr_of(const struct words *w, const struct vc4vk_surface_state *state)
{
    uint32_t addr = VC4C_ENGINE_NULL;
    struct kmd_bo *bo = vc4vk_surface_state_bo(state);
    return bo && !kmd_bo_engine_addr(bo, &addr) ? addr : VC4C_ENGINE_NULL;
}

/* Adds the address of the BO for the CPU engine. For the chip the kernel relocates the words of lookups. */
static uint32_t relocated(const struct words *w, const struct vc4c_uniform *u, uint32_t word)
{
    if (w->engine && u->kind == VC4C_UNIFORM_BUFFER_BASE)
        return word + engine_addr_of(w, vc4vk_program_buffer(&w->descriptors, u->ref));
    if (w->engine && (u->kind == VC4C_UNIFORM_TEX_P0 || u->kind == VC4C_UNIFORM_DIRECT_BASE))
        return word + engine_addr_of(w, vc4vk_program_texture(&w->descriptors, u->ref, false));
    return word;
}

/* Words of the program's tables of constants. */
static bool table_word(const struct words *w, const struct vc4c_uniform *u, uint32_t *out)
{
    uint32_t addr = 0;
    if (!vc4c_table_word(w->descriptors.program, u, out))
        return false;
    if (w->engine && u->kind == VC4C_UNIFORM_TABLE_BASE)
        *out += w->tables && !kmd_bo_engine_addr(w->tables, &addr) ? addr : VC4C_ENGINE_NULL;
    return true;
}

/* Words of VC4C_BUFFER_SPILL, a buffer without a descriptor. */
static bool spill_word(const struct words *w, const struct vc4c_uniform *u, uint32_t *out)
{
    const struct vc4vk_issue_spill *spill = w->spill;
    uint32_t addr = 0;
    if (u->ref != VC4C_BUFFER_SPILL || !spill)
        return false;
    switch ((enum vc4c_uniform_kind)u->kind) {
    case VC4C_UNIFORM_BUFFER_WORD:
        memcpy(out, spill->instance + MIN2(u->data, sizeof spill->instance - sizeof *out), sizeof *out);
        return true;
    case VC4C_UNIFORM_BUFFER_LIMIT:
        *out = spill->size_B - MIN2(spill->size_B, u->data + 4);
        return true;
    case VC4C_UNIFORM_BUFFER_BASE:
        if (w->engine && (!spill->bo || kmd_bo_engine_addr(spill->bo, &addr)))
            addr = VC4C_ENGINE_NULL;
        *out = addr + spill->offset_B;
        return true;
    default:
        return false;
    }
}

static uint32_t blend_constant(float x, uint32_t range)
{
    if (range & VC4C_BLEND_RANGE_UNORM)
        x = CLAMP(x, 0.0f, 1.0f);
    else if (range & VC4C_BLEND_RANGE_SNORM)
        x = CLAMP(x, -1.0f, 1.0f);
    return util_fui(x);
}

static const struct vc4vk_viewport_words *viewport_of(const struct words *w)
{
    return w->state->viewports ? &w->state->viewports->at[w->issue->viewport].words : &w->state->uniforms->viewport;
}

/* Words of the viewport, and the transform of clip space into the fixed viewport of re-centred jobs. */
static uint32_t viewport_word(const struct words *w, const struct vc4c_uniform *u)
{
    const struct vc4vk_viewport_words *viewport = viewport_of(w);
    const struct vc4vk_draw_replay *range = w->issue->range;
    const bool recentred = w->issue->job->is_recentred;
    const float scale_px = (u->data ? viewport->scale_y_16 : viewport->scale_x_16) / 16,
                centre_px =
                    u->data ? viewport->centre_y_px - (float)range->y_px : viewport->centre_x_px - (float)range->x_px;
    switch ((enum vc4c_uniform_kind)u->kind) {
    case VC4C_UNIFORM_VIEWPORT_SCALE_X_16:
        return util_fui(recentred ? VC4VK_RECENTRED_HALF_PX * 16 : viewport->scale_x_16);
    case VC4C_UNIFORM_VIEWPORT_SCALE_Y_16:
        return util_fui(recentred ? VC4VK_RECENTRED_HALF_PX * 16 : viewport->scale_y_16);
    case VC4C_UNIFORM_RECENTRE_SCALE:
        return util_fui(scale_px / VC4VK_RECENTRED_HALF_PX);
    case VC4C_UNIFORM_RECENTRE_OFFSET:
        return util_fui((centre_px - VC4VK_RECENTRED_AT_PX) / VC4VK_RECENTRED_HALF_PX);
    default:
        return 0;
    }
}

/* Uses the application's viewport, also in re-centred jobs. */
static uint32_t polygon_word(const struct words *w, uint32_t which)
{
    const struct vc4vk_uniform_set *set = w->state->uniforms;
    const struct vc4vk_viewport_words *viewport = viewport_of(w);
    const float depth = 2 * fabsf(viewport->scale_z) * 16;
    switch ((enum vc4c_polygon_word)which) {
    case VC4C_POLYGON_FLIP:
        return util_fui(viewport->scale_y_16 < 0 ? -1.0f : 1.0f);
    case VC4C_POLYGON_BIAS_CONSTANT:
        return util_fui(set->depth_bias);
    case VC4C_POLYGON_BIAS_SLOPE:
        return util_fui(set->depth_bias_slope);
    case VC4C_POLYGON_BIAS_MIN:
        return util_fui(set->depth_bias_min);
    case VC4C_POLYGON_BIAS_MAX:
        return util_fui(set->depth_bias_max);
    case VC4C_POLYGON_PER_X:
        return util_fui(depth / viewport->scale_x_16);
    case VC4C_POLYGON_PER_Y:
        return util_fui(depth / viewport->scale_y_16);
    case VC4C_POLYGON_PER_DEPTH:
        return util_fui(viewport->scale_z != 0 ? 0.5f / viewport->scale_z : 0.0f);
    case VC4C_POLYGON_LINE_X:
        return util_fui(viewport->scale_x_16);
    case VC4C_POLYGON_LINE_Y:
        return util_fui(viewport->scale_y_16);
    case VC4C_POLYGON_LINE_HALF_X:
        return util_fui(viewport->scale_x_16 != 0 ? set->line_width_px * 8 / viewport->scale_x_16 : 0);
    case VC4C_POLYGON_LINE_HALF_Y:
        return util_fui(viewport->scale_y_16 != 0 ? set->line_width_px * 8 / viewport->scale_y_16 : 0);
    case VC4C_POLYGON_LINE_PX_X:
        return util_fui(viewport->scale_x_16 != 0 ? 16 / viewport->scale_x_16 : 0);
    case VC4C_POLYGON_LINE_PX_Y:
        return util_fui(viewport->scale_y_16 != 0 ? 16 / viewport->scale_y_16 : 0);
    case VC4C_POLYGON_LINE_HALF:
        return util_fui(set->line_width_px * 0.5f);
    case VC4C_POLYGON_STIPPLE_PATTERN:
        return set->stipple_pattern;
    case VC4C_POLYGON_STIPPLE_RATE:
        return util_fui(1.0f / (float)set->stipple_factor);
    case VC4C_POLYGON_WORDS:
        break;
    }
    return 0;
}

/* The origin of the range in the framebuffer. */
static uint32_t origin_word(const struct words *w, uint32_t which)
{
    const uint32_t px = which & 1 ? w->issue->range->y_px : w->issue->range->x_px;
    return which >= 2 ? px : util_fui((float)px);
}

static uint32_t uniform_word(const struct words *w, const struct vc4c_uniform *u)
{
    const struct vc4vk_uniform_set *set = w->state->uniforms;
    uint32_t word;
    if (spill_word(w, u, &word) || table_word(w, u, &word))
        return word;
    if (vc4vk_program_descriptor_word(&w->descriptors, u, &word))
        return relocated(w, u, word);
    if (w->engine && vc4vk_issue_engine_word(w->issue, w->engine, u, &word))
        return word;
    switch ((enum vc4c_uniform_kind)u->kind) {
    case VC4C_UNIFORM_CONSTANT:
        return u->data;
    case VC4C_UNIFORM_PUSH:
        return push_word(w, u->data);
    case VC4C_UNIFORM_VIEWPORT_SCALE_X_16:
    case VC4C_UNIFORM_VIEWPORT_SCALE_Y_16:
    case VC4C_UNIFORM_RECENTRE_SCALE:
    case VC4C_UNIFORM_RECENTRE_OFFSET:
        return viewport_word(w, u);
    case VC4C_UNIFORM_VIEWPORT_SCALE_Z:
        return util_fui(viewport_of(w)->scale_z);
    case VC4C_UNIFORM_VIEWPORT_OFFSET_Z:
        return util_fui(viewport_of(w)->offset_z);
    case VC4C_UNIFORM_BLEND_CONSTANT:
        return blend_constant(set->blend_constants[u->data & 3], u->data);
    case VC4C_UNIFORM_STENCIL:
        return set->stencil_words[MIN2(u->data, VC4VK_STENCIL_WORDS_MAX - 1u)];
    case VC4C_UNIFORM_BASE_VERTEX:
        return (uint32_t)w->base_vertex;
    case VC4C_UNIFORM_DRAW:
        return u->data == 0   ? w->issue->draw.base_vertex
               : u->data == 1 ? w->issue->draw.base_instance
                              : w->issue->draw.index;
    case VC4C_UNIFORM_INSTANCE_INDEX:
        return w->instance;
    case VC4C_UNIFORM_VIEW_INDEX:
        return u->data ? w->issue->range->view : vc4vk_draw_view_index(w->issue->range);
    case VC4C_UNIFORM_VIEWPORT_INDEX:
        return w->issue->viewport;
    case VC4C_UNIFORM_SAMPLE_MASK:
        return set->sample_mask & (set->sample_shading ? BIT(w->issue->sample) : UINT32_MAX);
    case VC4C_UNIFORM_SAMPLE_ID:
        return w->issue->sample;
    case VC4C_UNIFORM_SAMPLE_OFFSET:
        return util_fui(vc4c_sample_offset(w->issue->sample, u->data));
    case VC4C_UNIFORM_COUNT:
        return vc4vk_issue_count(w->issue, w->state);
    case VC4C_UNIFORM_EXPR:
        return w->exprs ? w->exprs[u->data] : 0;
    case VC4C_UNIFORM_POLYGON:
        return polygon_word(w, u->data);
    case VC4C_UNIFORM_FRAG_COORD_OFFSET:
        return origin_word(w, u->data);
    case VC4C_UNIFORM_STREAM_ADDRESS: /* the kernel writes this word */
    default: /* words of the CPU engine */
        return 0;
    }
    return 0;
}

/* The BO of a lookup. Where nothing is bound it is the ramp: the program reads its first word, which is zero. */
static uint32_t lookup_handle(struct vc4vk_issue *issue, const struct words *w, const struct vc4c_lookup *lookup)
{
    struct kmd_bo *bo;
    if (lookup->is_buffer && lookup->ref == VC4C_BUFFER_SPILL)
        bo = w->spill ? w->spill->bo : NULL;
    else if (lookup->is_buffer && lookup->ref == VC4C_BUFFER_TABLES)
        bo = w->tables;
    else
        bo = vc4vk_surface_state_bo(lookup->is_buffer ? vc4vk_program_buffer(&w->descriptors, lookup->ref)
                                                      : vc4vk_program_texture(&w->descriptors, lookup->ref, false));
    return vc4vk_issue_bo_index(issue, bo ? bo : vc4vk_issue_ramp(issue));
}

static void compute_exprs(const struct words *w, uint32_t *results)
{
    for (uint32_t i = 0; i < w->descriptors.program->expr_count; i++) {
        const struct vc4c_expr *e = &w->descriptors.program->exprs[i];
        if (e->op == HW_EXPR_WORD)
            results[i] = uniform_word(w, &e->word);
        else
            hw_expr(e->op, results[e->src[0]], results[e->src[1]], results[e->src[2]], &results[i]);
    }
}

static void write_words(struct words *w, uint32_t *out)
{
    uint32_t exprs[VC4C_MAX_EXPRS];
    const struct vc4c_program *p = w->descriptors.program;
    compute_exprs(w, exprs);
    w->exprs = exprs;
    for (uint32_t i = 0; i < p->uniform_count; i++)
        *out++ = uniform_word(w, &p->uniforms[i]);
    if (p->extra_stream_word)
        *out = w->engine ? w->engine->stream_addr : 0;
    w->exprs = NULL;
}

static void write_chip_program(struct vc4vk_issue *issue, struct words *w)
{
    const struct vc4c_program *p = w->descriptors.program;
    uint32_t count = p->lookup_count + p->uniform_count + p->extra_stream_word;
    if (!count)
        return;
    uint32_t *out = vc4vk_bytes_append(&issue->build->uniforms, count * 4);
    if (!out) {
        vc4vk_issue_fail(issue, VK_ERROR_OUT_OF_HOST_MEMORY);
        return;
    }
    for (uint32_t i = 0; i < p->lookup_count; i++)
        *out++ = lookup_handle(issue, w, &p->lookups[i]);
    write_words(w, out);
}

/* Writes the stream into fresh memory. It has no handles: lookups use addresses. Returns the stream's address. */
static uint32_t write_engine_program(struct vc4vk_issue *issue, struct words *w)
{
    const struct vc4c_program *p = w->descriptors.program;
    struct vc4vk_issue_engine_program program;
    uint32_t *out;
    if (!vc4vk_issue_engine_program(issue, &w->descriptors, w->state, p->uniform_count + p->extra_stream_word, &out,
                                    &program))
        return VC4C_ENGINE_NULL;
    for (uint32_t i = 0; i < p->lookup_count; i++) /* adds their BOs to the job's table */
        lookup_handle(issue, w, &p->lookups[i]);
    w->engine = &program;
    write_words(w, out);
    w->engine = NULL;
    return program.stream_addr;
}

void vc4vk_issue_uniforms(struct vc4vk_issue *issue, const struct vc4vk_draw_state *state, int32_t base_vertex,
                          uint32_t instance)
{
    const struct vc4vk_record *record = state->record;
    const struct vc4vk_variant *vertex = vc4vk_issue_vertex(issue, record);
    const struct vc4vk_variant_program *fs = &record->fragment->programs[issue->replay], *cs = &vertex->programs[0],
                                       *vs = &vertex->programs[1];
    struct words w = {.state = state, .base_vertex = base_vertex, .instance = instance, .issue = issue};
    const struct {
        const struct vc4vk_variant_program *program;
        const struct vc4vk_binding_table *table;
    } parts[] = {{fs, &state->fragment_table}, {vs, &state->vertex_table}, {cs, &state->vertex_table}};
    for (uint32_t i = 0; i < ARRAY_SIZE(parts); i++) { /* ORDER of the kernel: fragment, vertex, coordinate */
        w.descriptors = (struct vc4vk_program_descriptors){&parts[i].program->program->compiled, issue->pool,
                                                           parts[i].table, parts[i].program->first_slot};
        w.tables = vc4vk_program_tables(parts[i].program->program);
        w.spill = i ? &issue->spills[i - 1] : NULL;
        if (issue->engine)
            issue->stream_addr[i] = write_engine_program(issue, &w);
        else
            write_chip_program(issue, &w);
    }
}
