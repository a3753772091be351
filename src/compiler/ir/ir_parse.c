/* SPDX-License-Identifier: MIT
 *
 * Parses the text form of the IR (docs/ir-text.md), for tests of passes and of the back end. Error messages name the
 * line.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "compiler/ir/ir_names.h"

#define MAX_DEPTH 64
#define MAX_NAMES 100000u

struct fixup { /* a source that is used before its definition: in a phi of a loop */
    struct ir_src *src;
    uint32_t name;
    struct fixup *next;
};

struct parser {
    struct util_arena *arena;
    struct ir_shader *shader;
    struct ir_builder b;
    const char *at;
    uint32_t line;
    char word[64];            /* the last token; "" at the end of the text */
    struct ir_instr **names;  /* indexed by number */
    uint32_t name_count;
    struct fixup *fixups;
    char *error;
    size_t error_B;
    bool failed;
    bool is_lowered;          /* the row `lowered`; set in the shader after the body, because ir_validate checks its
                               * rule and ir_build would assert */
};

static bool fail(struct parser *p, const char *fmt, ...) UTIL_PRINTF(2, 3);
static bool fail(struct parser *p, const char *fmt, ...)
{
    if (p->failed)
        return false;
    p->failed = true;
    int n = snprintf(p->error, p->error_B, "line %u: ", p->line);
    if (n < 0 || (size_t)n >= p->error_B)
        return false;
    va_list va;
    va_start(va, fmt);
    vsnprintf(p->error + n, p->error_B - (size_t)n, fmt, va);
    va_end(va);
    return false;
}

/* ---------------------------------------------------------------- tokens */

static void skip_blanks(struct parser *p)
{
    for (;; p->at++) {
        if (*p->at == ';')
            while (p->at[1] && p->at[1] != '\n')
                p->at++;
        else if (*p->at == '\n')
            p->line++;
        else if (*p->at != ' ' && *p->at != '\t' && *p->at != ',')
            return;
    }
}

/* A token is one of {}[]()= or a run of anything else. */
static const char *peek(struct parser *p)
{
    skip_blanks(p);
    size_t n = 0;
    if (*p->at && strchr("{}[]()=", *p->at)) {
        n = 1;
    } else {
        while (p->at[n] && !strchr("{}[]()= \t\n,;", p->at[n]))
            n++;
    }
    n = MIN2(n, sizeof p->word - 1);
    memcpy(p->word, p->at, n);
    p->word[n] = 0;
    return p->word;
}

static const char *take(struct parser *p)
{
    peek(p);
    p->at += strlen(p->word);
    return p->word;
}

static bool accept(struct parser *p, const char *word)
{
    if (strcmp(peek(p), word))
        return false;
    take(p);
    return true;
}

static bool expect(struct parser *p, const char *word)
{
    return accept(p, word) || fail(p, "'%s' expected, not '%s'", word, p->word);
}

static uint32_t to_number(struct parser *p, const char *word)
{
    char *end;
    errno = 0;
    long long n = strtoll(word, &end, 0);
    if (!*word || *end || errno || n < INT32_MIN || n > UINT32_MAX) {
        float f = strtof(word, &end);
        if (*word && !*end)
            return util_fui(f);
        fail(p, "'%s' is not a number", word);
    }
    return (uint32_t)n;
}

static uint32_t take_number(struct parser *p)
{
    return to_number(p, take(p));
}

static bool at_name(struct parser *p)
{
    peek(p);
    return p->word[0] == '%' || p->word[0] == '?';
}

/* ---------------------------------------------------------------- names */

static bool ensure_name(struct parser *p, uint32_t name)
{
    if (name >= MAX_NAMES)
        return fail(p, "value %u: numbers must be below %u", name, MAX_NAMES);
    if (name < p->name_count)
        return true;
    uint32_t count = MAX2(name + 1, 2 * p->name_count);
    struct ir_instr **names = util_arena_new_array(p->arena, struct ir_instr *, count);
    for (uint32_t i = 0; i < p->name_count; i++)
        names[i] = p->names[i];
    p->names = names;
    p->name_count = count;
    return true;
}

static uint32_t take_name(struct parser *p)
{
    take(p);
    uint32_t name = to_number(p, p->word + 1);
    return ensure_name(p, name) ? name : 0;
}

static void read_source(struct parser *p, struct ir_src *src, uint32_t name)
{
    if (p->failed)
        return;
    if (p->names[name]) {
        ir_src_set(src, p->names[name]);
        return;
    }
    struct fixup *f = util_arena_new(p->arena, struct fixup);
    *f = (struct fixup){.src = src, .name = name, .next = p->fixups};
    p->fixups = f;
}

static bool apply_fixups(struct parser *p)
{
    for (struct fixup *f = p->fixups; f; f = f->next) {
        if (!p->names[f->name])
            return fail(p, "value %u is used and never defined", f->name);
        ir_src_set(f->src, p->names[f->name]);
    }
    return true;
}

/* ---------------------------------------------------------------- parts of instructions */

static struct vc4c_uniform read_uniform(struct parser *p)
{
    struct vc4c_uniform u = {0};
    const char *kind = take(p);
    while (u.kind < VC4C_UNIFORM_KINDS && strcmp(kind, ir_uniform_kind_name(u.kind)))
        u.kind++;
    if (u.kind == VC4C_UNIFORM_KINDS)
        fail(p, "'%s' is not a kind of uniform", kind);
    for (;;) {
        if (accept(p, "ref")) {
            expect(p, "=");
            u.ref = (uint16_t)take_number(p);
        } else if (accept(p, "data")) {
            expect(p, "=");
            u.data = take_number(p);
        } else {
            return u;
        }
    }
}

static struct ir_tex read_tex(struct parser *p)
{
    struct ir_tex tex = {0};
    uint32_t count = 0;
    while (!p->failed && !at_name(p)) {
        if (accept(p, "(")) {
            if (count == 4) {
                fail(p, "a lookup has at most four parameters");
                break;
            }
            tex.p[count++] = read_uniform(p);
            expect(p, ")");
            continue;
        }
        if (accept(p, "texture")) {
            expect(p, "=");
            tex.texture = (uint16_t)take_number(p);
            continue;
        }
        uint8_t *field = accept(p, "has_r")         ? &tex.has_r
                         : accept(p, "has_b")       ? &tex.has_b
                         : accept(p, "param_count") ? &tex.param_count
                                                    : NULL;
        if (!field) {
            fail(p, "'%s' is not a field of tex", p->word);
            break;
        }
        expect(p, "=");
        *field = (uint8_t)take_number(p);
    }
    if (!tex.param_count)
        tex.param_count = (uint8_t)count;
    return tex;
}

static struct ir_sample read_sample(struct parser *p)
{
    struct ir_sample s = {0};
    while (!p->failed && !at_name(p)) {
        uint8_t *field = NULL;
        int8_t *offset = NULL;
        if (accept(p, "texture")) {
            expect(p, "=");
            s.texture = (uint16_t)take_number(p);
            continue;
        }
#define X(name)                                                                                                        \
    if (!strcmp(p->word, #name))                                                                                       \
        field = &s.name;
        IR_SAMPLE_FIELDS(X)
#undef X
        if (!strncmp(p->word, "offset", 6) && p->word[6] >= '0' && p->word[6] <= '2' && !p->word[7])
            offset = &s.offset[p->word[6] - '0'];
        if (!field && !offset)
            break; /* a query has no sources: the next instruction follows */
        take(p);
        expect(p, "=");
        uint32_t n = take_number(p);
        if (field)
            *field = (uint8_t)n;
        else
            *offset = (int8_t)n;
    }
    return s;
}

/* ---------------------------------------------------------------- instructions */

#define MAX_SOURCES 250

struct line { /* a parsed instruction, before it is built */
    enum ir_op op;
    uint32_t line;
    uint32_t imm, imm2, bits;
    bool relaxed, exact;
    struct vc4c_uniform uniform;
    struct ir_tex tex;
    struct ir_sample sample;
    uint32_t count;
    uint32_t names[MAX_SOURCES];
};

static bool read_op(struct parser *p, struct line *l)
{
    char *word = p->word;
    take(p);
    for (char *dot; (dot = strrchr(word, '.')); *dot = 0) {
        if (!strcmp(dot, ".relaxed"))
            l->relaxed = true;
        else if (!strcmp(dot, ".exact"))
            l->exact = true;
        else
            return fail(p, "'%s' is not a flag of an operation (.relaxed, .exact)", dot);
    }
    for (uint32_t op = 0; op < IR_OP_COUNT; op++) {
        if (!strcmp(word, ir_op_infos[op].text)) {
            l->op = op;
            return true;
        }
    }
    return fail(p, "'%s' is no operation", word);
}

static void read_imms(struct parser *p, struct line *l)
{
    if (l->op == IR_CONST) {
        l->imm = take_number(p);
        return;
    }
    if (!accept(p, "["))
        return;
    l->imm = take_number(p);
    if (!accept(p, "]")) {
        l->imm2 = take_number(p);
        expect(p, "]");
    }
}

/* Sources are on the line of their instruction. An operation with a fixed number of sources takes no more. */
static bool more_sources(struct parser *p, const struct line *l)
{
    if (l->count >= ir_op_infos[l->op].sources)
        return false;
    return at_name(p) && p->line == l->line;
}

static bool read_sources(struct parser *p, struct line *l)
{
    while (!p->failed && more_sources(p, l)) {
        if (l->count == MAX_SOURCES)
            return fail(p, "more than %d sources", MAX_SOURCES);
        l->names[l->count++] = take_name(p);
    }
    const struct ir_op_info *info = &ir_op_infos[l->op];
    if (info->sources != 255 && info->sources != l->count)
        return fail(p, "'%s' takes %u sources, not %u", info->text, info->sources, l->count);
    return !p->failed;
}

static struct ir_instr *build_line(struct parser *p, const struct line *l)
{
    p->b.relaxed = l->relaxed;
    p->b.exact = l->exact;
    struct ir_instr *instr = ir_build(&p->b, l->op, l->bits, l->count, NULL);
    instr->imm = l->imm;
    instr->imm2 = l->imm2;
    if (l->op == IR_UNIFORM)
        instr->uniform = l->uniform;
    else if (l->op == IR_TEX)
        instr->tex = l->tex;
    else if (l->op == IR_SAMPLE)
        instr->sample = l->sample;
    for (uint32_t i = 0; i < l->count; i++)
        read_source(p, &instr->src[i], l->names[i]);
    return instr;
}

static bool read_instr(struct parser *p)
{
    struct line *l = util_arena_new(p->arena, struct line);
    uint32_t name = UINT32_MAX;
    if (at_name(p)) {
        l->bits = p->word[0] == '?' ? 1 : 32;
        name = take_name(p);
        if (!expect(p, "="))
            return false;
    }
    if (!read_op(p, l))
        return false;
    l->line = p->line;
    read_imms(p, l);
    if (l->op == IR_UNIFORM)
        l->uniform = read_uniform(p);
    else if (l->op == IR_TEX)
        l->tex = read_tex(p);
    else if (l->op == IR_SAMPLE)
        l->sample = read_sample(p);
    if (!read_sources(p, l) || p->failed)
        return false;
    struct ir_instr *instr = build_line(p, l);
    if ((name != UINT32_MAX) != (instr->value.bits != 0))
        return fail(p, "'%s' %s a result", ir_op_infos[l->op].text, instr->value.bits ? "has" : "does not have");
    if (name == UINT32_MAX)
        return true;
    if (instr->value.bits != l->bits)
        return fail(p, "'%s' gives %u bits", ir_op_infos[l->op].text, instr->value.bits);
    if (p->names[name])
        return fail(p, "value %u is defined twice", name);
    p->names[name] = instr;
    return true;
}

/* ---------------------------------------------------------------- control flow */

static bool read_list(struct parser *p, int depth);

static bool read_if(struct parser *p, int depth)
{
    if (!at_name(p))
        return fail(p, "an if needs a condition");
    uint32_t cond = take_name(p);
    if (p->failed || ir_block_jump(p->b.block))
        return fail(p, "an if after a jump");
    struct ir_if *nif = ir_push_if(&p->b, NULL);
    read_source(p, &nif->cond, cond);
    if (!read_list(p, depth + 1) || !expect(p, "else"))
        return false;
    ir_push_else(&p->b, nif);
    if (!read_list(p, depth + 1))
        return false;
    ir_pop_if(&p->b, nif);
    return true;
}

static bool read_loop(struct parser *p, int depth)
{
    if (ir_block_jump(p->b.block))
        return fail(p, "a loop after a jump");
    struct ir_loop *loop = ir_push_loop(&p->b);
    loop->rolled = accept(p, "rolled");
    if (!read_list(p, depth + 1))
        return false;
    ir_pop_loop(&p->b, loop);
    return true;
}

static bool read_list(struct parser *p, int depth)
{
    if (depth > MAX_DEPTH)
        return fail(p, "ifs and loops nested more than %d deep", MAX_DEPTH);
    if (!expect(p, "{"))
        return false;
    while (!accept(p, "}")) {
        if (!*p->word)
            return fail(p, "'}' is missing");
        bool ok = accept(p, "if")     ? read_if(p, depth)
                  : accept(p, "loop") ? read_loop(p, depth)
                                      : read_instr(p);
        if (!ok)
            return false;
    }
    return true;
}

/* ---------------------------------------------------------------- shader */

static uint8_t read_choice(struct parser *p, const char *const *names, uint32_t count)
{
    take(p);
    for (uint32_t i = 0; i < count; i++)
        if (!strcmp(p->word, names[i]))
            return (uint8_t)i;
    fail(p, "'%s' is none of '%s', ...", p->word, names[0]);
    return 0;
}

static bool has_room(struct parser *p, uint32_t count, uint32_t max)
{
    return count < max || fail(p, "more than %u rows", max);
}

static bool read_texture(struct parser *p)
{
    if (!has_room(p, p->shader->texture_count, VC4C_MAX_TEXTURES))
        return false;
    uint16_t n[7];
    for (int i = 0; i < 7; i++)
        n[i] = (uint16_t)take_number(p);
    p->shader->textures[p->shader->texture_count++] = (struct vc4c_texture_ref){
        .image_set = n[0], .image_binding = n[1], .image_index = n[2], .sampler_set = n[3], .sampler_binding = n[4],
        .sampler_index = n[5], .fetch_only = (uint8_t)n[6]};
    return true;
}

static bool read_buffer(struct parser *p)
{
    if (!has_room(p, p->shader->buffer_count, VC4C_MAX_BUFFERS))
        return false;
    struct vc4c_buffer_ref *b = &p->shader->buffers[p->shader->buffer_count++];
    b->set = (uint16_t)take_number(p);
    b->binding = (uint16_t)take_number(p);
    b->index = (uint16_t)take_number(p);
    b->storage = (uint8_t)take_number(p);
    return true;
}

static bool read_input(struct parser *p)
{
    if (!has_room(p, p->shader->input_count, VC4C_MAX_SLOTS))
        return false;
    struct vc4c_varying *v = &p->shader->inputs[p->shader->input_count++];
    v->location = (uint8_t)take_number(p);
    v->component = (uint8_t)take_number(p);
    v->flat = take_number(p) & 1;
    v->noperspective = take_number(p) & 1;
    v->point_coord = take_number(p) & 1;
    return true;
}

static bool read_attribute(struct parser *p)
{
    if (!has_room(p, p->shader->attribute_count, ARRAY_SIZE(p->shader->attributes)))
        return false;
    struct vc4c_attribute *a = &p->shader->attributes[p->shader->attribute_count++];
    a->location = (uint8_t)take_number(p);
    a->vpm_B = (uint16_t)take_number(p);
    a->size_B = (uint8_t)take_number(p);
    p->shader->attribute_size_B = MAX2(p->shader->attribute_size_B, (uint32_t)a->vpm_B + a->size_B);
    return true;
}

static bool read_variable(struct parser *p)
{
    if (!has_room(p, p->shader->variable_count, 64))
        return false;
    if (!p->shader->variables)
        p->shader->variables = util_arena_new_array(p->arena, struct ir_variable, 64);
    struct ir_variable *v = &p->shader->variables[p->shader->variable_count++];
    v->words = take_number(p);
    v->bits = (uint8_t)take_number(p);
    return true;
}

static bool read_table(struct parser *p)
{
    const uint32_t count = take_number(p);
    uint32_t table = 0;
    if (p->failed)
        return false;
    if (!count || count > IR_MAX_TABLE_WORDS)
        return fail(p, "a table of %u words", count);
    uint32_t *words = util_arena_new_array(p->arena, uint32_t, count);
    for (uint32_t i = 0; i < count && !p->failed; i++)
        words[i] = take_number(p);
    const uint32_t number = p->shader->table_count;
    if (p->failed || !ir_table_add(p->shader, words, count, &table))
        return fail(p, "too many tables");
    return table == number || fail(p, "two tables are equal");
}

static bool read_expr(struct parser *p)
{
    if (!has_room(p, p->shader->expr_count, VC4C_MAX_EXPRS))
        return false;
    if (!p->shader->exprs)
        p->shader->exprs = util_arena_new_array(p->arena, struct vc4c_expr, VC4C_MAX_EXPRS);
    struct vc4c_expr *e = &p->shader->exprs[p->shader->expr_count++];
    e->op = (uint16_t)take_number(p);
    for (unsigned k = 0; k < 3; k++)
        e->src[k] = (uint16_t)take_number(p);
    e->word = read_uniform(p);
    return !p->failed;
}

static bool read_table_row(struct parser *p)
{
    if (accept(p, "primitive"))
        p->shader->primitive = read_choice(p, ir_primitive_names, ARRAY_SIZE(ir_primitive_names));
    else if (accept(p, "writes_z_late"))
        p->shader->writes_z_late = true;
    else if (accept(p, "reads_color"))
        p->shader->reads_color = true;
    else if (accept(p, "engine"))
        p->shader->is_engine = true;
    else if (accept(p, "lowered"))
        p->is_lowered = true;
    else if (accept(p, "texture"))
        return read_texture(p);
    else if (accept(p, "buffer"))
        return read_buffer(p);
    else if (accept(p, "input"))
        return read_input(p);
    else if (accept(p, "attribute"))
        return read_attribute(p);
    else if (accept(p, "expr"))
        return read_expr(p);
    else if (accept(p, "table"))
        return read_table(p);
    else if (accept(p, "variable"))
        return read_variable(p);
    else
        return fail(p, "'%s' is neither a row of a shader nor '{'", p->word);
    return true;
}

static bool read_shader(struct parser *p)
{
    if (!expect(p, "shader"))
        return false;
    uint8_t kind = read_choice(p, ir_program_kind_names, ARRAY_SIZE(ir_program_kind_names));
    p->shader = ir_shader_create(p->arena, kind);
    while (!p->failed && strcmp(peek(p), "{"))
        if (!read_table_row(p))
            return false;
    p->b = ir_at_end(p->shader, ir_first_block(p->shader));
    if (p->failed || !read_list(p, 0) || !apply_fixups(p))
        return false;
    p->shader->lowered = p->is_lowered;
    return !*peek(p) || fail(p, "'%s' after the end of the shader", p->word);
}

struct ir_shader *ir_parse(struct util_arena *arena, const char *text, char *error, size_t error_B)
{
    struct parser p = {.arena = arena, .at = text, .line = 1, .error = error, .error_B = error_B};
    return read_shader(&p) ? p.shader : NULL;
}
