/* SPDX-License-Identifier: MIT
 *
 * Gives a program the tables of constants that its lookups read. Tables that no lookup reads any more are left out.
 */
#include <string.h>
#include "compiler/qpu/qc_sched.h"

static bool reads_tables(const struct vc4c_program *out)
{
    for (uint32_t i = 0; i < out->lookup_count; i++)
        if (out->lookups[i].is_buffer && out->lookups[i].ref == VC4C_BUFFER_TABLES)
            return true;
    return false;
}

/* Lays out the tables in the order in which the program first reads them. */
static void place_tables(const struct ir_shader *shader, struct vc4c_program *out)
{
    out->table_count = shader->table_count;
    memset(out->tables, 0, out->table_count * sizeof *out->tables);
    for (uint32_t i = 0; i < out->uniform_count; i++) {
        const struct vc4c_uniform *u = &out->uniforms[i];
        if (u->kind != VC4C_UNIFORM_TABLE_BASE || out->tables[u->ref].count)
            continue;
        out->tables[u->ref] = (struct vc4c_table){out->table_word_count, shader->tables[u->ref].count};
        out->table_word_count += out->tables[u->ref].count;
    }
    out->table_word_count = util_align(out->table_word_count, 2);
}

void qc_keep_tables(struct qc_program *p, struct vc4c_program *out)
{
    const struct ir_shader *shader = p->shader;
    if (!reads_tables(out))
        return;
    out->tables = util_alloc_get(out->alloc, shader->table_count * sizeof *out->tables);
    if (out->tables) {
        place_tables(shader, out);
        out->table_words = util_alloc_get(out->alloc, out->table_word_count * sizeof *out->table_words);
    }
    if (!out->table_words) {
        vc4c_program_finish(out);
        qc_fail(p, VC4C_OUT_OF_MEMORY, "back end: out of memory");
    }
    memset(out->table_words, 0, out->table_word_count * sizeof *out->table_words);
    for (uint32_t i = 0; i < out->table_count; i++)
        memcpy(out->table_words + out->tables[i].first, shader->tables[i].words,
               out->tables[i].count * sizeof *out->table_words);
}
