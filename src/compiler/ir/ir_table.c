/* SPDX-License-Identifier: MIT
 *
 * Tables of constants: words that a program indexes with LOAD_TABLE. Equal tables are one table.
 */
#include <string.h>
#include "compiler/ir/ir.h"
#include "util/hash.h"

static void ensure_room(struct ir_shader *shader)
{
    if (shader->table_count < shader->table_capacity)
        return;
    const uint32_t room = MAX2(2 * shader->table_capacity, 8u);
    struct ir_table *tables = util_arena_new_array(shader->arena, struct ir_table, room);
    if (shader->table_count)
        memcpy(tables, shader->tables, shader->table_count * sizeof *tables);
    shader->tables = tables;
    shader->table_capacity = room;
}

bool ir_table_add(struct ir_shader *shader, const uint32_t *words, uint32_t count, uint32_t *table_out)
{
    const uint64_t hash = util_hash_bytes(words, count * sizeof *words, count);
    for (uint32_t i = 0; i < shader->table_count; i++) {
        const struct ir_table *t = &shader->tables[i];
        if (t->hash != hash || t->count != count || memcmp(t->words, words, count * sizeof *words))
            continue;
        *table_out = i;
        return true;
    }
    if (!count || shader->table_count == IR_MAX_TABLES || count > IR_MAX_TABLE_WORDS - shader->table_words)
        return false;
    ensure_room(shader);
    *table_out = shader->table_count++;
    shader->table_words += count;
    shader->tables[*table_out] = (struct ir_table){words, count, hash};
    return true;
}

uint32_t ir_table_offset_B(const struct ir_table *table, uint32_t offset_B, uint32_t imm2)
{
    const uint32_t size_B = 4 * table->count, position_B = imm2 & 0xffff, last_B = imm2 >> 16;
    const int32_t limit_B = (int32_t)(size_B - MIN2(size_B, last_B + 4));
    return MIN2((uint32_t)CLAMP((int32_t)offset_B, 0, limit_B) + position_B, size_B - 4) & ~3u;
}
