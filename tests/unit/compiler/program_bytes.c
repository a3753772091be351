/* SPDX-License-Identifier: MIT
 *
 * Serialised programs: a written program reads back the same, and corrupt bytes from a cache are refused, whatever they
 * contain.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "compiler/vc4c.h"
#include "util/macros.h"

enum {
    INSTRUCTIONS = 5,
    UNIFORMS = VC4C_UNIFORM_KINDS,
    EXPRS = 2,
    LOOKUPS = 3,
    SITES = 1,
    PRINTS = 2,
    TABLES = 2,
    TABLE_WORDS = 6
};

/* A program with at least one entry of each kind, and the memory of its tables. */
struct made {
    struct vc4c_program p;
    uint64_t code[INSTRUCTIONS];
    uint32_t origins[INSTRUCTIONS];
    struct vc4c_uniform uniforms[UNIFORMS];
    struct vc4c_expr exprs[EXPRS];
    struct vc4c_lookup lookups[LOOKUPS];
    struct vc4c_table tables[TABLES];
    uint32_t table_words[TABLE_WORDS];
    struct vc4c_site sites[SITES];
    struct vc4c_print prints[PRINTS];
    char print_text[8];
    struct vc4c_buffer_ref buffers[1];
};

static void make(struct made *m)
{
    memset(m, 0, sizeof *m);
    m->p.code = m->code;
    m->p.origins = m->origins;
    m->p.instruction_count = INSTRUCTIONS;
    m->p.uniforms = m->uniforms;
    m->p.uniform_count = UNIFORMS;
    m->p.exprs = m->exprs;
    m->p.expr_count = EXPRS;
    m->p.lookups = m->lookups;
    m->p.lookup_count = LOOKUPS;
    m->p.tables = m->tables;
    m->p.table_count = TABLES;
    m->p.table_words = m->table_words;
    m->p.table_word_count = TABLE_WORDS;
    m->p.sites = m->sites;
    m->p.site_count = SITES;
    m->p.prints = m->prints;
    m->p.print_count = PRINTS;
    m->p.print_text = m->print_text;
    m->p.print_text_B = sizeof m->print_text;
    memcpy(m->print_text, "one\0%v2", sizeof m->print_text);
    m->prints[0].words = 1;
    m->prints[1] = (struct vc4c_print){.format_B = 4, .words = 5, .arg_count = 1, .args = {{VC4C_PRINT_INT64, 2}}};
    m->p.buffers = m->buffers;
    m->p.texture_count = m->p.buffer_count = m->p.resource_count = m->p.input_count = m->p.attribute_count = 1;
    m->p.attribute_size_B = 4;
    m->p.subgroups = VC4C_MAX_SUBGROUPS;
    m->p.threaded = true;
    for (uint32_t i = 0; i < UNIFORMS; i++)
        m->uniforms[i].kind = (uint8_t)i;
    m->exprs[1].op = HW_EXPR_FADD;
    m->lookups[1].is_buffer = 1;
    m->lookups[2] = (struct vc4c_lookup){.is_buffer = 1, .ref = VC4C_BUFFER_TABLES};
    m->tables[1] = (struct vc4c_table){.first = 1, .count = 5};
    m->uniforms[VC4C_UNIFORM_TABLE_LIMIT].ref = m->uniforms[VC4C_UNIFORM_TABLE_BASE].ref = 1;
    m->uniforms[VC4C_UNIFORM_TABLE_LIMIT].data = 12;
    m->uniforms[VC4C_UNIFORM_TABLE_BASE].data = 8;
    for (uint32_t i = 0; i < TABLE_WORDS; i++)
        m->table_words[i] = 7 * i;
    m->sites[0] = (struct vc4c_site){.kind = VC4C_SITE_BARRIER, .first = 3, .count = 2};
    for (uint32_t i = 0; i < INSTRUCTIONS; i++)
        m->code[i] = i * UINT64_C(0x123456789abcdef);
}

static enum vc4c_result read_written(const struct vc4c_program *p, struct vc4c_program *out)
{
    size_t size_B = vc4c_program_write(p, NULL);
    uint8_t *bytes = malloc(size_B);
    assert_non_null(bytes);
    assert_int_equal(vc4c_program_write(p, bytes), size_B);
    enum vc4c_result result = vc4c_program_read(bytes, size_B, NULL, out);
    free(bytes);
    return result;
}

static void what_is_written_is_read(void **state)
{
    struct made m;
    struct vc4c_program p;
    make(&m);
    assert_true(vc4c_program_is_valid(&m.p));
    assert_int_equal(read_written(&m.p, &p), VC4C_OK);
    assert_memory_equal(p.code, m.code, sizeof m.code);
    assert_memory_equal(p.uniforms, m.uniforms, sizeof m.uniforms);
    assert_memory_equal(p.tables, m.tables, sizeof m.tables);
    assert_memory_equal(p.table_words, m.table_words, sizeof m.table_words);
    assert_memory_equal(p.sites, m.sites, sizeof m.sites);
    assert_memory_equal(p.prints, m.prints, sizeof m.prints);
    assert_memory_equal(p.print_text, m.print_text, sizeof m.print_text);
    assert_int_equal(p.subgroups, VC4C_MAX_SUBGROUPS);
    assert_true(p.threaded);
    vc4c_program_finish(&p);
}

/* Each change makes one field invalid, such as an index out of range. */
static void what_leads_out_of_it_is_refused(void **state)
{
    struct made m;
    struct vc4c_program p;
#define REFUSED(change)                                                                                                \
    do {                                                                                                               \
        make(&m);                                                                                                      \
        change;                                                                                                        \
        assert_int_equal(read_written(&m.p, &p), VC4C_INVALID);                                                        \
    } while (0)
#define NO_BOOL(field) REFUSED(memset(&(field), 62, 1))
    NO_BOOL(m.p.threaded);
    NO_BOOL(m.p.extra_stream_word);
    NO_BOOL(m.p.needs_triangle);
    NO_BOOL(m.p.reads_color);
    NO_BOOL(m.p.is_engine);
    NO_BOOL(m.p.counts_finished);
    NO_BOOL(m.p.has_barriers);
    NO_BOOL(m.p.writes_z_late);
    NO_BOOL(m.p.attributes[0].is_spilled);
    REFUSED(m.prints[1].format_B = sizeof m.print_text);
    REFUSED(m.print_text[sizeof m.print_text - 1] = 'x');
    REFUSED(m.prints[1].words = 4);
    REFUSED(m.prints[1].arg_count = VC4C_PRINT_ARGS + 1);
    REFUSED(m.prints[1].args[0].type = VC4C_PRINT_TYPES);
    REFUSED(m.prints[1].args[0].count = VC4C_PRINT_COMPONENTS + 1);
    REFUSED(m.p.subgroups = VC4C_MAX_SUBGROUPS + 1);
    REFUSED(m.p.attribute_size_B = 256);
    REFUSED(m.p.attributes[0].location = VC4C_MAX_LOCATIONS);
    REFUSED(m.p.textures[0].dim = VC4C_DIM_SUBPASS + 1);
    REFUSED(m.p.resources[0].kind = VC4C_RESOURCE_STORAGE_TEXEL_BUFFER + 1);
    REFUSED(m.p.resources[0].access = VC4C_ACCESS_KINDS);
    REFUSED(m.uniforms[0].kind = VC4C_UNIFORM_KINDS);
    REFUSED(m.uniforms[VC4C_UNIFORM_BUFFER_BASE].ref = 1);
    REFUSED(m.uniforms[VC4C_UNIFORM_TEX_P0].ref = 1);
    REFUSED(m.uniforms[VC4C_UNIFORM_DIRECT_T_LEVELS].ref = 1);
    REFUSED(m.uniforms[VC4C_UNIFORM_ENGINE_ENTRY].ref = 1);
    REFUSED(m.uniforms[VC4C_UNIFORM_ENGINE_COLOR].data = VC4C_MAX_STORED);
    REFUSED(m.uniforms[VC4C_UNIFORM_EXPR].data = EXPRS);
    REFUSED(m.exprs[1].op = HW_EXPR_OPS);
    REFUSED(m.exprs[1].src[2] = 1);
    REFUSED(m.exprs[0].word.kind = VC4C_UNIFORM_EXPR);
    REFUSED(m.lookups[0].ref = 1);
    REFUSED(m.lookups[1].ref = 1);
    REFUSED(m.uniforms[VC4C_UNIFORM_TABLE_BASE].ref = TABLES);
    REFUSED(m.uniforms[VC4C_UNIFORM_TABLE_LIMIT].ref = TABLES);
    REFUSED(m.uniforms[VC4C_UNIFORM_TABLE_LIMIT].ref = 0); /* a table that is left out */
    REFUSED(m.uniforms[VC4C_UNIFORM_TABLE_BASE].data = 20);
    REFUSED(m.uniforms[VC4C_UNIFORM_TABLE_BASE].data = 2);
    REFUSED(m.uniforms[VC4C_UNIFORM_TABLE_LIMIT].data = 20);
    REFUSED(m.tables[1].first = 2);
    REFUSED(m.tables[1].first = UINT32_MAX);
    REFUSED(m.tables[0].count = UINT32_MAX);
    REFUSED(m.p.table_word_count = TABLE_WORDS - 1);
    REFUSED((m.p.table_word_count = 0, m.p.table_count = 0));
    REFUSED(m.sites[0].kind = VC4C_SITE_KINDS);
    REFUSED(m.sites[0].count = 3);
    REFUSED(m.sites[0].first = UINT32_MAX);
#undef NO_BOOL
#undef REFUSED
}

static void words_of_tables(void **state)
{
    struct made m;
    uint32_t word = 0;
    make(&m);
    assert_true(vc4c_table_word(&m.p, &m.uniforms[VC4C_UNIFORM_TABLE_LIMIT], &word));
    assert_int_equal(word, 4 * 5 - 4 - 12);
    assert_true(vc4c_table_word(&m.p, &m.uniforms[VC4C_UNIFORM_TABLE_BASE], &word));
    assert_int_equal(word, 4 + 8);
    assert_false(vc4c_table_word(&m.p, &m.uniforms[VC4C_UNIFORM_BUFFER_BASE], &word));
}

/* Whatever value a byte takes, either the program is refused or all its indices stay in range. */
static void any_byte_may_be_wrong(void **state)
{
    struct made m;
    make(&m);
    size_t size_B = vc4c_program_write(&m.p, NULL);
    uint8_t *bytes = malloc(size_B);
    uint32_t refused = 0;
    assert_non_null(bytes);
    vc4c_program_write(&m.p, bytes);
    for (size_t at = 0; at < size_B; at++)
        for (uint32_t value = 0; value < 256; value += value < 3 || value > 252 ? 1 : 50) {
            const uint8_t kept = bytes[at];
            struct vc4c_program p;
            bytes[at] = (uint8_t)value;
            if (vc4c_program_read(bytes, size_B, NULL, &p) == VC4C_OK) {
                assert_true(vc4c_program_is_valid(&p));
                vc4c_program_finish(&p);
            } else {
                refused++;
            }
            bytes[at] = kept;
        }
    for (size_t cut_B = 0; cut_B < size_B; cut_B++) {
        struct vc4c_program p;
        assert_int_equal(vc4c_program_read(bytes, cut_B, NULL, &p), VC4C_INVALID);
    }
    assert_in_range(refused, 100, size_B * 256);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(what_leads_out_of_it_is_refused),
        cmocka_unit_test(words_of_tables),
        cmocka_unit_test(any_byte_may_be_wrong),
    };
    return cmocka_run_group_tests_name("program_bytes", tests, NULL, NULL);
}
