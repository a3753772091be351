/* SPDX-License-Identifier: MIT
 *
 * Frees programs, and serialises them for caches. Only the build that wrote the bytes can read them. They are the bytes
 * of struct vc4c_program without the unused ends of its tables, followed by the arrays that its pointers point to. A
 * new plain field needs no change here; a new table or pointer needs a row below.
 *
 *   the struct without its tables | the used part of each table | the array of each pointer
 */
#include <string.h>
#include "compiler/vc4c.h"

struct table {
    uint32_t at_B, capacity, element_B, count_at_B;
};

#define TABLE(field, count)                                                                                            \
    {                                                                                                                  \
        offsetof(struct vc4c_program, field), ARRAY_SIZE(((struct vc4c_program *)0)->field),                           \
            sizeof(((struct vc4c_program *)0)->field[0]), offsetof(struct vc4c_program, count)                         \
    }

/* ORDER as in the struct. */
static const struct table tables[] = {
    TABLE(textures, texture_count),
    TABLE(attributes, attribute_count),
    TABLE(inputs, input_count),
    TABLE(resources, resource_count),
};

#define POINTER(field, count)                                                                                          \
    {                                                                                                                  \
        offsetof(struct vc4c_program, field), UINT32_MAX, sizeof(*((struct vc4c_program *)0)->field),                  \
            offsetof(struct vc4c_program, count)                                                                       \
    }

static const struct table pointers[] = {
    POINTER(code, instruction_count),  POINTER(origins, instruction_count), POINTER(uniforms, uniform_count),
    POINTER(lookups, lookup_count),    POINTER(tables, table_count),        POINTER(table_words, table_word_count),
    POINTER(exprs, expr_count),        POINTER(sites, site_count),          POINTER(prints, print_count),
    POINTER(print_text, print_text_B), POINTER(buffers, buffer_count),
};

void vc4c_program_finish(struct vc4c_program *program)
{
    util_alloc_put(program->alloc, program->code);
    util_alloc_put(program->alloc, program->origins);
    util_alloc_put(program->alloc, program->uniforms);
    util_alloc_put(program->alloc, program->lookups);
    util_alloc_put(program->alloc, program->tables);
    util_alloc_put(program->alloc, program->table_words);
    util_alloc_put(program->alloc, program->sites);
    util_alloc_put(program->alloc, program->prints);
    util_alloc_put(program->alloc, program->print_text);
    util_alloc_put(program->alloc, program->exprs);
    util_alloc_put(program->alloc, program->buffers);
    memset(program, 0, sizeof *program);
}

static uint32_t count_of(const struct vc4c_program *p, const struct table *t)
{
    uint32_t count;
    memcpy(&count, (const char *)p + t->count_at_B, sizeof count);
    return count;
}

static void **pointer_of(struct vc4c_program *p, const struct table *t)
{
    return (void **)((char *)p + t->at_B);
}

/* ---------------------------------------------------------------- validation */

/* Checks the byte first: reading any other value as a bool is undefined behaviour. */
static bool is_bool(const void *byte)
{
    return *(const uint8_t *)byte <= 1;
}

static bool is_uniform(const struct vc4c_program *p, const struct vc4c_uniform *u, uint32_t step_count)
{
    if (u->kind >= VC4C_UNIFORM_KINDS)
        return false;
    if (u->kind >= VC4C_UNIFORM_BUFFER_WORD && u->kind <= VC4C_UNIFORM_BUFFER_SIZE)
        return u->ref < p->buffer_count || u->ref == VC4C_BUFFER_SPILL;
    if ((u->kind >= VC4C_UNIFORM_TEX_P0 && u->kind <= VC4C_UNIFORM_DIRECT_T_LEVELS) && u->kind != VC4C_UNIFORM_TEX_ZERO)
        return u->ref < p->texture_count;
    if (u->kind == VC4C_UNIFORM_TABLE_LIMIT || u->kind == VC4C_UNIFORM_TABLE_BASE)
        return u->ref < p->table_count && u->data % 4 == 0 && u->data / 4 < p->tables[u->ref].count;
    if (u->kind == VC4C_UNIFORM_ENGINE_ENTRY || u->kind == VC4C_UNIFORM_ENGINE_STATES)
        return u->ref < p->resource_count;
    if (u->kind == VC4C_UNIFORM_ENGINE_COLOR || u->kind == VC4C_UNIFORM_ENGINE_COLOR_PITCH)
        return u->data < VC4C_MAX_STORED;
    return u->kind != VC4C_UNIFORM_EXPR || u->data < step_count;
}

static bool is_expr(const struct vc4c_program *p, uint32_t step)
{
    const struct vc4c_expr *e = &p->exprs[step];
    if (e->op == HW_EXPR_WORD)
        return is_uniform(p, &e->word, 0);
    for (uint32_t i = 0; i < ARRAY_SIZE(e->src); i++)
        if (e->src[i] && e->src[i] >= step)
            return false;
    return e->op < HW_EXPR_OPS;
}

static bool is_lookup(const struct vc4c_program *p, const struct vc4c_lookup *l)
{
    if (l->is_buffer && l->ref == VC4C_BUFFER_TABLES)
        return p->table_word_count;
    return l->is_buffer ? l->ref < p->buffer_count || l->ref == VC4C_BUFFER_SPILL : l->ref < p->texture_count;
}

static bool is_table(const struct vc4c_program *p, const struct vc4c_table *t)
{
    return t->first <= p->table_word_count && t->count <= p->table_word_count - t->first;
}

static bool is_attribute(const struct vc4c_attribute *a)
{
    return (a->location < VC4C_MAX_LOCATIONS || a->location >= VC4C_ATTRIBUTE_TRIANGLE_VERTEX) &&
           is_bool(&a->is_spilled);
}

static bool is_site(const struct vc4c_program *p, const struct vc4c_site *s)
{
    return s->kind < VC4C_SITE_KINDS && s->first <= p->instruction_count && s->count <= p->instruction_count - s->first;
}

static bool is_print(const struct vc4c_program *p, const struct vc4c_print *print)
{
    uint32_t words = 1;
    if (print->format_B >= p->print_text_B || print->arg_count > VC4C_PRINT_ARGS)
        return false;
    for (uint32_t i = 0; i < print->arg_count; i++) {
        const struct vc4c_print_arg *arg = &print->args[i];
        if (arg->type >= VC4C_PRINT_TYPES || arg->count > VC4C_PRINT_COMPONENTS)
            return false;
        words += vc4c_print_arg_words(arg);
    }
    return print->words == words;
}

static bool are_prints(const struct vc4c_program *p)
{
    if (p->print_text_B && p->print_text[p->print_text_B - 1])
        return false;
    for (uint32_t i = 0; i < p->print_count; i++)
        if (!is_print(p, &p->prints[i]))
            return false;
    return true;
}

static bool is_resource(const struct vc4c_resource *r)
{
    return r->kind <= VC4C_RESOURCE_STORAGE_TEXEL_BUFFER && r->access < VC4C_ACCESS_KINDS;
}

bool vc4c_table_word(const struct vc4c_program *p, const struct vc4c_uniform *u, uint32_t *out)
{
    if (u->kind != VC4C_UNIFORM_TABLE_LIMIT && u->kind != VC4C_UNIFORM_TABLE_BASE)
        return false;
    const struct vc4c_table *t = &p->tables[u->ref];
    *out = u->kind == VC4C_UNIFORM_TABLE_BASE ? 4 * t->first + u->data : 4 * t->count - 4 - u->data;
    return true;
}

bool vc4c_program_is_valid(const struct vc4c_program *p)
{
    bool good = is_bool(&p->threaded) && is_bool(&p->extra_stream_word) && is_bool(&p->needs_triangle) &&
                is_bool(&p->reads_color) && is_bool(&p->is_engine) && is_bool(&p->counts_finished) &&
                is_bool(&p->has_barriers) && is_bool(&p->uses_addresses) && is_bool(&p->uses_set_memory) &&
                is_bool(&p->writes_z_late) && p->expr_count <= VC4C_MAX_EXPRS && p->attribute_size_B <= UINT8_MAX &&
                p->subgroups <= VC4C_MAX_SUBGROUPS;
    good = good && p->table_word_count <= VC4C_MAX_TABLE_WORDS && p->table_word_count % 2 == 0;
    for (uint32_t i = 0; good && i < p->table_count; i++)
        good = is_table(p, &p->tables[i]);
    for (uint32_t i = 0; good && i < p->uniform_count; i++)
        good = is_uniform(p, &p->uniforms[i], p->expr_count);
    for (uint32_t i = 0; good && i < p->expr_count; i++)
        good = is_expr(p, i);
    for (uint32_t i = 0; good && i < p->lookup_count; i++)
        good = is_lookup(p, &p->lookups[i]);
    for (uint32_t i = 0; good && i < p->attribute_count; i++)
        good = is_attribute(&p->attributes[i]);
    for (uint32_t i = 0; good && i < p->site_count; i++)
        good = is_site(p, &p->sites[i]);
    good = good && are_prints(p);
    for (uint32_t i = 0; good && i < p->texture_count; i++)
        good = p->textures[i].dim <= VC4C_DIM_SUBPASS;
    for (uint32_t i = 0; good && i < p->resource_count; i++)
        good = is_resource(&p->resources[i]);
    return good;
}

/* ---------------------------------------------------------------- writing */

/* Appends `data` and returns the new size. `out` NULL: only counts. */
static size_t put(uint8_t *out, size_t at_B, const void *data, size_t size_B)
{
    if (out && size_B)
        memcpy(out + at_B, data, size_B);
    return at_B + size_B;
}

size_t vc4c_program_write(const struct vc4c_program *program, void *bytes)
{
    struct vc4c_program copy = *program;
    const char *from = (const char *)&copy;
    size_t at_B = 0, next_B = 0;
    copy.alloc = NULL;
    for (uint32_t i = 0; i < ARRAY_SIZE(pointers); i++)
        *pointer_of(&copy, &pointers[i]) = NULL;
    for (uint32_t i = 0; i < ARRAY_SIZE(tables); i++) {
        at_B = put(bytes, at_B, from + next_B, tables[i].at_B - next_B);
        next_B = tables[i].at_B + tables[i].capacity * tables[i].element_B;
    }
    at_B = put(bytes, at_B, from + next_B, sizeof copy - next_B);
    for (uint32_t i = 0; i < ARRAY_SIZE(tables); i++)
        at_B = put(bytes, at_B, from + tables[i].at_B, (size_t)count_of(program, &tables[i]) * tables[i].element_B);
    for (uint32_t i = 0; i < ARRAY_SIZE(pointers); i++)
        at_B = put(bytes, at_B, *pointer_of((struct vc4c_program *)program, &pointers[i]),
                   (size_t)count_of(program, &pointers[i]) * pointers[i].element_B);
    return at_B;
}

/* ---------------------------------------------------------------- reading */

struct reader {
    const uint8_t *bytes;
    size_t left_B;
};

static bool take(struct reader *r, void *to, size_t size_B)
{
    if (size_B > r->left_B)
        return false;
    memcpy(to, r->bytes, size_B);
    r->bytes += size_B;
    r->left_B -= size_B;
    return true;
}

static bool take_tables(struct reader *r, struct vc4c_program *p)
{
    char *to = (char *)p;
    size_t next_B = 0;
    for (uint32_t i = 0; i < ARRAY_SIZE(tables); i++) {
        if (!take(r, to + next_B, tables[i].at_B - next_B))
            return false;
        next_B = tables[i].at_B + tables[i].capacity * tables[i].element_B;
    }
    if (!take(r, to + next_B, sizeof *p - next_B))
        return false;
    for (uint32_t i = 0; i < ARRAY_SIZE(tables); i++) {
        uint32_t count = count_of(p, &tables[i]);
        if (count > tables[i].capacity || !take(r, to + tables[i].at_B, (size_t)count * tables[i].element_B))
            return false;
    }
    return true;
}

static enum vc4c_result take_pointers(struct reader *r, struct vc4c_program *p)
{
    for (uint32_t i = 0; i < ARRAY_SIZE(pointers); i++) {
        uint32_t count = count_of(p, &pointers[i]);
        if (count > r->left_B / pointers[i].element_B)
            return VC4C_INVALID;
        if (!count)
            continue;
        void *data = util_alloc_get(p->alloc, (size_t)count * pointers[i].element_B);
        if (!data)
            return VC4C_OUT_OF_MEMORY;
        *pointer_of(p, &pointers[i]) = data;
        take(r, data, (size_t)count * pointers[i].element_B);
    }
    return r->left_B ? VC4C_INVALID : VC4C_OK;
}

enum vc4c_result vc4c_program_read(const void *bytes, size_t size_B, const struct util_alloc *alloc,
                                   struct vc4c_program *out)
{
    struct reader r = {bytes, size_B};
    struct vc4c_program p = {0};
    bool good = take_tables(&r, &p);
    for (uint32_t i = 0; i < ARRAY_SIZE(pointers); i++)
        *pointer_of(&p, &pointers[i]) = NULL;
    p.alloc = alloc;
    enum vc4c_result result = good ? take_pointers(&r, &p) : VC4C_INVALID;
    if (!result && !vc4c_program_is_valid(&p))
        result = VC4C_INVALID;
    if (result)
        vc4c_program_finish(&p);
    else
        *out = p;
    return result;
}

/* ---------------------------------------------------------------- interfaces */

static bool is_geometry(const struct vc4c_geometry *g)
{
    return g->input_vertices <= VC4C_PRIMITIVE_VERTICES && g->output_vertices <= 3 &&
           g->invocations <= VC4C_MAX_GEOMETRY_INVOCATIONS && g->max_vertices <= VC4C_MAX_EMITTED;
}

static bool is_tessellation(const struct vc4c_tessellation *t)
{
    return t->output_vertices <= VC4C_MAX_PATCH_VERTICES && t->domain <= VC4C_DOMAIN_ISOLINES &&
           t->spacing <= VC4C_SPACING_ODD && t->order <= VC4C_ORDER_COUNTERCLOCKWISE && t->point_mode <= 1;
}

static bool is_mesh(const struct vc4c_mesh *m)
{
    return m->max_vertices <= VC4C_MAX_MESH_VERTICES && m->max_primitives <= VC4C_MAX_MESH_PRIMITIVES &&
           m->corners <= 3 && m->culls <= 1 && m->payload_B <= VC4C_MAX_PAYLOAD_B;
}

static bool is_capture(const struct vc4c_capture *c)
{
    bool good = c->count <= VC4C_MAX_CAPTURED;
    for (uint32_t i = 0; i < VC4C_MAX_CAPTURE_BUFFERS; i++)
        good &= c->strides_B[i] <= VC4C_MAX_CAPTURE_STRIDE_B && c->strides_B[i] % 4 == 0;
    for (uint32_t i = 0; good && i < c->count; i++)
        good = c->words[i].word < VC4C_RECORD_WORDS && c->words[i].buffer < VC4C_MAX_CAPTURE_BUFFERS &&
               c->words[i].stream < VC4C_MAX_STREAMS && c->words[i].offset_B < VC4C_MAX_CAPTURE_STRIDE_B &&
               c->words[i].offset_B % 4 == 0;
    return good;
}

bool vc4c_interface_read(const void *bytes, size_t size_B, struct vc4c_interface *out)
{
    if (size_B != sizeof *out)
        return false;
    memcpy(out, bytes, size_B);
    bool good = out->input_count <= VC4C_MAX_SLOTS && out->texture_count <= VC4C_MAX_TEXTURES &&
                out->resource_count <= VC4C_MAX_RESOURCES && is_bool(&out->uses_vertex_index) &&
                is_bool(&out->uses_instance_index) && is_bool(&out->writes_point_size) && is_bool(&out->writes_depth) &&
                is_bool(&out->uses_discard) && is_bool(&out->has_side_effects) && is_bool(&out->sample_shading) &&
                is_bool(&out->orders_pixels) && is_geometry(&out->geometry) && is_tessellation(&out->tessellation) &&
                is_mesh(&out->mesh) && is_capture(&out->capture);
    for (uint32_t i = 0; good && i < out->input_count; i++)
        good = out->inputs[i].location <= VC4C_STIPPLE_LOCATION && out->inputs[i].component < 4;
    for (uint32_t i = 0; good && i < out->texture_count; i++)
        good = out->textures[i].dim <= VC4C_DIM_SUBPASS;
    for (uint32_t i = 0; good && i < out->resource_count; i++)
        good = is_resource(&out->resources[i]);
    return good;
}
