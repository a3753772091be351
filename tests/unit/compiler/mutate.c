/* SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <string.h>
#include "mutate.h"
#include "spv_gen.h"

#define HEADER_WORDS 5
#define MAX_INSTRS   16384u

struct instr {
    uint32_t at, size;
    const struct spv_op_info *info;
};

struct mutation {
    uint32_t *words, count, room;
    uint64_t *state;
    struct instr *instrs;
    uint32_t instr_count;
};

static uint32_t rnd(struct mutation *m, uint32_t below)
{
    uint64_t x = *m->state;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    *m->state = x;
    return below ? (uint32_t)(x >> 20) % below : 0;
}

/* ---------------------------------------------------------------- looking */

static void find_instrs(struct mutation *m)
{
    for (uint32_t at = HEADER_WORDS; at < m->count && m->instr_count < MAX_INSTRS;) {
        uint32_t size = m->words[at] >> 16;
        const struct spv_op_info *info = spv_op_info(m->words[at] & 0xffff);
        if (!info || !size || size > m->count - at)
            return;
        m->instrs[m->instr_count++] = (struct instr){at, size, info};
        at += size;
    }
}

/* The letter of the grammar (spv_gen.py) for word `index` of an instruction; 0 where its place is not fixed. */
static char letter_of(const struct instr *i, uint32_t index)
{
    const char *k = i->info->operands;
    for (uint32_t word = 1; *k; k++) {
        if (*k == '?')
            continue;
        if (*k == '*')
            return k[1] == 'i' || k[1] == 'l' ? k[1] : 0;
        if (!strchr("tril", *k))
            return 0;
        if (word++ == index)
            return *k;
    }
    return 0;
}

static bool is_op_type(const struct instr *i)
{
    return !strncmp(i->info->name, "OpType", 6);
}

/* The place of a result; 0: there is none. */
static uint32_t result_word(const struct instr *i)
{
    return letter_of(i, 1) == 'r' ? 1 : letter_of(i, 2) == 'r' && i->size > 2 ? 2 : 0;
}

static const struct instr *any_instr(struct mutation *m)
{
    return &m->instrs[rnd(m, m->instr_count)];
}

/* One that `wanted` likes, from a random place on; NULL: none. */
static const struct instr *find(struct mutation *m, bool (*wanted)(const struct instr *))
{
    uint32_t first = rnd(m, m->instr_count);
    for (uint32_t n = 0; n < m->instr_count; n++) {
        const struct instr *i = &m->instrs[(first + n) % m->instr_count];
        if (wanted(i))
            return i;
    }
    return NULL;
}

/* A word of the instruction with this letter; 0: none. */
static uint32_t find_word(struct mutation *m, const struct instr *i, char letter)
{
    uint32_t first = rnd(m, i->size);
    for (uint32_t n = 0; n < i->size; n++) {
        uint32_t word = (first + n) % i->size;
        if (word && letter_of(i, word) == letter)
            return word;
    }
    return 0;
}

static bool has_result(const struct instr *i)
{
    return result_word(i) != 0;
}

static bool has_type(const struct instr *i)
{
    return letter_of(i, 1) == 't';
}

static bool is_label(const struct instr *i)
{
    return i->info->op == SpvOpLabel;
}

static bool is_jump(const struct instr *i)
{
    return i->info->op == SpvOpBranch || i->info->op == SpvOpBranchConditional || i->info->op == SpvOpLoopMerge ||
           i->info->op == SpvOpSelectionMerge;
}

static bool is_in_body(const struct instr *i)
{
    return has_type(i) && i->info->op != SpvOpFunction && i->info->op != SpvOpVariable &&
           strncmp(i->info->name, "OpConst", 7) && strncmp(i->info->name, "OpSpec", 6);
}

/* ---------------------------------------------------------------- changing */

static void change_id(struct mutation *m)
{
    const struct instr *i = any_instr(m), *from = find(m, has_result);
    uint32_t word = find_word(m, i, 'i');
    if (word && from)
        m->words[i->at + word] = m->words[from->at + result_word(from)];
}

static void change_type(struct mutation *m)
{
    const struct instr *i = find(m, has_type), *type = find(m, is_op_type);
    if (i && type)
        m->words[i->at + 1] = m->words[type->at + 1];
}

static void change_operation(struct mutation *m)
{
    const struct instr *i = find(m, is_in_body);
    for (uint32_t tries = 0; i && tries < 100; tries++) {
        const struct spv_op_info *other = spv_op_info(rnd(m, 400));
        if (other && other->op != i->info->op && !strcmp(other->operands, i->info->operands)) {
            m->words[i->at] = i->size << 16 | other->op;
            return;
        }
    }
}

static void change_jump(struct mutation *m)
{
    const struct instr *jump = find(m, is_jump), *label = find(m, is_label);
    uint32_t word = jump ? find_word(m, jump, 'i') : 0;
    if (word && label)
        m->words[jump->at + word] = m->words[label->at + 1];
}

/* A type of itself, or of one behind it. */
static void tie_type(struct mutation *m)
{
    const struct instr *type = find(m, is_op_type), *other = rnd(m, 2) ? type : find(m, is_op_type);
    uint32_t word = type ? find_word(m, type, 'i') : 0;
    if (word)
        m->words[type->at + word] = m->words[other->at + 1];
}

static void change_number(struct mutation *m)
{
    static const uint32_t numbers[] = {0, 1, 2, 3, 4, 5, 16, 31, 32, 64, 0x7fffffff, 0x80000000, 0xffffffff};
    const struct instr *i = any_instr(m);
    uint32_t word = find_word(m, i, 'l');
    if (word)
        m->words[i->at + word] = numbers[rnd(m, sizeof numbers / sizeof numbers[0])];
    else if (i->info->op == SpvOpConstant)
        m->words[i->at + 3] = numbers[rnd(m, sizeof numbers / sizeof numbers[0])];
}

static void remove_instr(struct mutation *m)
{
    const struct instr *i = any_instr(m);
    memmove(m->words + i->at, m->words + i->at + i->size, (m->count - i->at - i->size) * sizeof *m->words);
    m->count -= i->size;
}

/* Once more in front of `place`, with a result of its own. */
static void insert_copy(struct mutation *m, const struct instr *i, const struct instr *place)
{
    uint32_t copy[64];
    if (i->size > sizeof copy / sizeof copy[0] || m->count + i->size > m->room)
        return;
    memcpy(copy, m->words + i->at, i->size * sizeof *copy);
    if (result_word(i))
        copy[result_word(i)] = m->words[3]++;
    memmove(m->words + place->at + i->size, m->words + place->at, (m->count - place->at) * sizeof *m->words);
    memcpy(m->words + place->at, copy, i->size * sizeof *copy);
    m->count += i->size;
}

static void exchange_neighbours(struct mutation *m)
{
    uint32_t n = rnd(m, m->instr_count);
    if (n + 1 >= m->instr_count || m->instrs[n].size > 64)
        return;
    const struct instr *a = &m->instrs[n], *b = a + 1;
    uint32_t copy[64];
    memcpy(copy, m->words + a->at, a->size * sizeof *copy);
    memmove(m->words + a->at, m->words + b->at, b->size * sizeof *copy);
    memcpy(m->words + a->at + b->size, copy, a->size * sizeof *copy);
}

uint32_t mutate(uint32_t *words, uint32_t count, uint32_t room, uint64_t *state)
{
    static struct instr instrs[MAX_INSTRS];
    struct mutation m = {.words = words, .count = count, .room = room, .state = state, .instrs = instrs};
    find_instrs(&m);
    if (!m.instr_count)
        return count;
    static void (*const changes[])(struct mutation * m) = {
        change_id,   change_id, change_id,     change_type,  change_operation,
        change_jump, tie_type,  change_number, remove_instr, exchange_neighbours,
    };
    uint32_t which = rnd(&m, sizeof changes / sizeof changes[0] + 1);
    if (which < sizeof changes / sizeof changes[0])
        changes[which](&m);
    else
        insert_copy(&m, find(&m, is_in_body) ? find(&m, is_in_body) : any_instr(&m), any_instr(&m));
    return m.count;
}
