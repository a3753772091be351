/* SPDX-License-Identifier: MIT
 *
 * SPIR-V mutations (mutate.h). A typical mutation picks an instruction, lists its operands along the grammar, and
 * replaces one of them.
 */
#include "mutate.h"
#include <stdbool.h>
#include <string.h>
#include "spv_gen.h"
#include "util/macros.h"

#define HEADER_WORDS 5
#define MAX_INSTRS   16384u
#define MAX_OPERANDS 64u
#define MAX_COPY     256u

struct instr {
    uint32_t at, size;
    const struct spv_op_info *info;
};

struct operand {
    uint32_t word;
    char letter; /* t, r, i: ids; l: a literal; c: words of a number; o: an operation; e: an enumerant */
};

struct mutation {
    uint32_t *words, count, room;
    uint64_t *state;
    struct instr *instrs;
    uint32_t instr_count;
    const struct mutate_module *donors;
    uint32_t donor_count;
};

uint32_t mutate_rnd(uint64_t *state, uint32_t below)
{
    uint64_t x = *state;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    *state = x;
    return below ? (uint32_t)(x >> 20) % below : 0;
}

static uint32_t rnd(struct mutation *m, uint32_t below)
{
    return mutate_rnd(m->state, below);
}

/* ---------------------------------------------------------------- parsing */

static uint32_t find_instrs(const uint32_t *words, uint32_t count, struct instr *instrs)
{
    uint32_t found = 0;
    for (uint32_t at = HEADER_WORDS; at < count && found < MAX_INSTRS;) {
        uint32_t size = words[at] >> 16;
        const struct spv_op_info *info = spv_op_info(words[at] & 0xffff);
        if (!info || !size || size > count - at)
            break;
        instrs[found++] = (struct instr){at, size, info};
        at += size;
    }
    return found;
}

struct listing {
    const uint32_t *words; /* of the instruction */
    uint32_t size, at;
    struct operand *out;
    uint32_t count;
};

static void list_operand(struct listing *l, char kind);

static void list_kinds(struct listing *l, const char *kinds)
{
    for (; *kinds && l->at < l->size; kinds++) {
        if (*kinds == '*') {
            for (kinds++; l->at < l->size && l->count < MAX_OPERANDS;)
                list_operand(l, *kinds);
            return;
        }
        if (*kinds != '?')
            list_operand(l, *kinds);
    }
}

static void list_one(struct listing *l, char letter)
{
    if (l->at < l->size && l->count < MAX_OPERANDS)
        l->out[l->count++] = (struct operand){l->at, letter};
    l->at++;
}

static bool ends_string(uint32_t word)
{
    return !(word & 0xff) || !(word >> 8 & 0xff) || !(word >> 16 & 0xff) || !(word >> 24);
}

static void list_enum(struct listing *l, char kind)
{
    uint32_t value = l->words[l->at];
    list_one(l, 'e');
    for (uint32_t i = 0; i < spv_params_count; i++) {
        const struct spv_params *p = &spv_params[i];
        if (p->kind == kind && (p->is_mask ? (value & p->value) != 0 : value == p->value))
            list_kinds(l, p->operands);
    }
}

static void list_operand(struct listing *l, char kind)
{
    const struct spv_op_info *inner;
    if (l->at >= l->size)
        return;
    switch (kind) {
    case 't':
    case 'r':
    case 'i':
    case 'l':
        list_one(l, kind);
        break;
    case 's':
        while (l->at < l->size && !ends_string(l->words[l->at++]))
            ;
        break;
    case 'c':
        while (l->at < l->size)
            list_one(l, 'c');
        break;
    case 'o':
        inner = spv_op_info(l->words[l->at]);
        list_one(l, 'o');
        list_kinds(l, inner && strlen(inner->operands) > 2 ? inner->operands + 2 : "*i");
        break;
    case 'p':
        list_one(l, 'l');
        list_one(l, 'i');
        break;
    case 'q':
        list_one(l, 'i');
        list_one(l, 'l');
        break;
    case 'x':
        list_one(l, 'i');
        list_one(l, 'i');
        break;
    default:
        list_enum(l, kind);
        break;
    }
}

static uint32_t list_operands(const uint32_t *words, const struct instr *i, struct operand out[MAX_OPERANDS])
{
    struct listing l = {.words = words + i->at, .size = i->size, .at = 1, .out = out};
    list_kinds(&l, i->info->operands);
    return l.count;
}

/* A random operand with one of these letters; word 0: none. */
static struct operand pick_operand(struct mutation *m, const struct instr *i, const char *letters)
{
    struct operand all[MAX_OPERANDS];
    uint32_t count = list_operands(m->words, i, all), first = rnd(m, count);
    for (uint32_t n = 0; n < count; n++)
        if (strchr(letters, all[(first + n) % count].letter))
            return all[(first + n) % count];
    return (struct operand){0, 0};
}

/* The word of an instruction's result id; 0: it has no result. */
static uint32_t result_word(const struct instr *i)
{
    const char *k = i->info->operands;
    return k[0] == 'r' ? 1 : k[0] == 't' && k[1] == 'r' && i->size > 2 ? 2 : 0;
}

static const struct instr *any_instr(struct mutation *m)
{
    return &m->instrs[rnd(m, m->instr_count)];
}

/* The first instruction that `wanted` accepts, from a random start; NULL: none. */
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

static const struct instr *find_op(struct mutation *m, uint32_t op)
{
    uint32_t first = rnd(m, m->instr_count);
    for (uint32_t n = 0; n < m->instr_count; n++)
        if (m->instrs[(first + n) % m->instr_count].info->op == op)
            return &m->instrs[(first + n) % m->instr_count];
    return NULL;
}

static bool has_result(const struct instr *i)
{
    return result_word(i) != 0;
}

static bool has_type(const struct instr *i)
{
    return i->info->operands[0] == 't';
}

static bool is_op_type(const struct instr *i)
{
    return !strncmp(i->info->name, "OpType", 6);
}

static bool is_constant(const struct instr *i)
{
    return !strncmp(i->info->name, "OpConst", 7) || !strncmp(i->info->name, "OpSpec", 6);
}

static bool is_label(const struct instr *i)
{
    return i->info->op == SpvOpLabel;
}

static bool is_jump(const struct instr *i)
{
    return i->info->op == SpvOpBranch || i->info->op == SpvOpBranchConditional || i->info->op == SpvOpLoopMerge ||
           i->info->op == SpvOpSelectionMerge || i->info->op == SpvOpSwitch;
}

static bool is_in_body(const struct instr *i)
{
    return has_type(i) && i->info->op != SpvOpFunction && i->info->op != SpvOpVariable && !is_constant(i);
}

static bool is_decoration(const struct instr *i)
{
    return i->info->op == SpvOpDecorate || i->info->op == SpvOpMemberDecorate;
}

/* ---------------------------------------------------------------- replacement values */

static uint32_t interesting(struct mutation *m, uint32_t now)
{
    static const uint32_t numbers[] = {
        0,          1,          2,          3,          4,          5,      6,      7,      8,     15,    16,
        17,         31,         32,         33,         63,         64,     65,     127,    128,   255,   256,
        257,        1023,       1024,       4095,       4096,       16384,  32767,  32768,  65535, 65536, 0x100000,
        0x00ffffff, 0x01000000, 0x7ffffffe, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0x3f800000,
        0xbf800000, 0x7f800000, 0x7fc00000, 0x00800000, 0x00000001};
    switch (rnd(m, 6)) {
    case 0:
        return now ^ 1u << rnd(m, 32);
    case 1:
        return now + (rnd(m, 2) ? 1 : UINT32_MAX);
    case 2:
        return rnd(m, 80);
    default:
        return numbers[rnd(m, ARRAY_SIZE(numbers))];
    }
}

/* The result id of a random instruction: three times out of four one similar to the definition of `now`. */
static uint32_t other_id(struct mutation *m, uint32_t now)
{
    const struct instr *by = NULL, *definition = NULL;
    for (uint32_t n = 0; n < m->instr_count && !definition; n++)
        if (result_word(&m->instrs[n]) && m->words[m->instrs[n].at + result_word(&m->instrs[n])] == now)
            definition = &m->instrs[n];
    if (definition && rnd(m, 4))
        by = is_op_type(definition)    ? find(m, is_op_type)
             : is_constant(definition) ? find(m, is_constant)
             : is_label(definition)    ? find(m, is_label)
             : rnd(m, 2)               ? find_op(m, definition->info->op)
                                       : find(m, is_in_body);
    if (!by)
        by = find(m, has_result);
    return by ? m->words[by->at + result_word(by)] : 1 + rnd(m, m->words[3]);
}

/* ---------------------------------------------------------------- operands */

static void change_id(struct mutation *m)
{
    const struct instr *i = any_instr(m);
    struct operand o = pick_operand(m, i, "i");
    if (o.word)
        m->words[i->at + o.word] = other_id(m, m->words[i->at + o.word]);
}

static void exchange_ids(struct mutation *m)
{
    const struct instr *i = any_instr(m), *other = rnd(m, 2) ? i : find_op(m, i->info->op);
    struct operand a = pick_operand(m, i, "i"), b = pick_operand(m, other, "i");
    if (!a.word || !b.word)
        return;
    uint32_t id = m->words[i->at + a.word];
    m->words[i->at + a.word] = m->words[other->at + b.word];
    m->words[other->at + b.word] = id;
}

static void change_type(struct mutation *m)
{
    const struct instr *i = find(m, has_type), *type = find(m, is_op_type);
    if (i && type)
        m->words[i->at + 1] = m->words[type->at + 1];
}

static void change_operation(struct mutation *m)
{
    const struct instr *i = rnd(m, 3) ? find(m, is_in_body) : any_instr(m);
    for (uint32_t tries = 0; i && tries < 200; tries++) {
        const struct spv_op_info *other = spv_op_info(rnd(m, tries < 150 ? 400 : 6200));
        if (other && other->op != i->info->op && !strcmp(other->operands, i->info->operands)) {
            m->words[i->at] = i->size << 16 | other->op;
            return;
        }
    }
}

static void change_jump(struct mutation *m)
{
    const struct instr *jump = find(m, is_jump), *label = find(m, is_label);
    struct operand o = jump ? pick_operand(m, jump, "i") : (struct operand){0, 0};
    if (o.word && label)
        m->words[jump->at + o.word] = m->words[label->at + 1];
}

/* Makes a type contain itself or another type, which may come after it. */
static void make_recursive(struct mutation *m)
{
    const struct instr *type = find(m, is_op_type), *other = rnd(m, 2) ? type : find(m, is_op_type);
    struct operand o = type ? pick_operand(m, type, "i") : (struct operand){0, 0};
    if (o.word)
        m->words[type->at + o.word] = m->words[other->at + 1];
}

static void change_number(struct mutation *m)
{
    const struct instr *i = any_instr(m);
    struct operand o = pick_operand(m, i, "lceo");
    if (o.word)
        m->words[i->at + o.word] = interesting(m, m->words[i->at + o.word]);
}

static void change_constant(struct mutation *m)
{
    const struct instr *i = find(m, is_constant);
    struct operand o = i ? pick_operand(m, i, "c") : (struct operand){0, 0};
    if (o.word)
        m->words[i->at + o.word] = interesting(m, m->words[i->at + o.word]);
}

static void change_image(struct mutation *m)
{
    const struct instr *i = find_op(m, SpvOpTypeImage);
    if (!i || i->size < 9)
        return;
    uint32_t word = 3 + rnd(m, 6), most[] = {7, 3, 2, 2, 3, 42};
    m->words[i->at + word] = rnd(m, 8) ? rnd(m, most[word - 3]) : interesting(m, m->words[i->at + word]);
}

/* Changes the storage class of a variable, of its type and of all variables of that type. */
static void change_storage_class(struct mutation *m)
{
    const struct instr *variable = find_op(m, SpvOpVariable);
    uint32_t storage = rnd(m, 13);
    if (!variable)
        return;
    for (uint32_t n = 0; n < m->instr_count; n++) {
        const struct instr *i = &m->instrs[n];
        if (i->info->op == SpvOpTypePointer && m->words[i->at + 1] == m->words[variable->at + 1])
            m->words[i->at + 2] = storage;
        if (i->info->op == SpvOpVariable && m->words[i->at + 1] == m->words[variable->at + 1])
            m->words[i->at + 3] = storage;
    }
}

/* ---------------------------------------------------------------- instructions */

static void remove_words(struct mutation *m, uint32_t at, uint32_t size)
{
    memmove(m->words + at, m->words + at + size, (m->count - at - size) * sizeof *m->words);
    m->count -= size;
}

static bool insert_words(struct mutation *m, uint32_t at, const uint32_t *words, uint32_t size)
{
    if (m->count + size > m->room)
        return false;
    memmove(m->words + at + size, m->words + at, (m->count - at) * sizeof *m->words);
    memcpy(m->words + at, words, size * sizeof *words);
    m->count += size;
    return true;
}

static void remove_instrs(struct mutation *m)
{
    uint32_t n = rnd(m, m->instr_count), more = rnd(m, 4) ? 1 : 1 + rnd(m, 8), last = MIN2(n + more, m->instr_count) - 1;
    remove_words(m, m->instrs[n].at, m->instrs[last].at + m->instrs[last].size - m->instrs[n].at);
}

/* Duplicates an instruction, mostly with a new result id. */
static void repeat_instr(struct mutation *m)
{
    uint32_t copy[MAX_COPY];
    const struct instr *i = rnd(m, 3) && find(m, is_in_body) ? find(m, is_in_body) : any_instr(m), *place = any_instr(m);
    if (i->size > MAX_COPY)
        return;
    memcpy(copy, m->words + i->at, i->size * sizeof *copy);
    if (result_word(i) && rnd(m, 16))
        copy[result_word(i)] = m->words[3]++;
    insert_words(m, place->at, copy, i->size);
}

static void move_instr(struct mutation *m)
{
    uint32_t copy[MAX_COPY];
    const struct instr i = *any_instr(m), place = *any_instr(m);
    if (i.size > MAX_COPY || place.at == i.at)
        return;
    memcpy(copy, m->words + i.at, i.size * sizeof *copy);
    remove_words(m, i.at, i.size);
    insert_words(m, place.at > i.at ? place.at - i.size : place.at, copy, i.size);
}

static void exchange_neighbours(struct mutation *m)
{
    uint32_t n = rnd(m, m->instr_count), copy[MAX_COPY];
    if (n + 1 >= m->instr_count || m->instrs[n].size > MAX_COPY)
        return;
    const struct instr *a = &m->instrs[n], *b = a + 1;
    memcpy(copy, m->words + a->at, a->size * sizeof *copy);
    memmove(m->words + a->at, m->words + b->at, b->size * sizeof *copy);
    memcpy(m->words + a->at + b->size, copy, a->size * sizeof *copy);
}

/* ---------------------------------------------------------------- decorations */

/* Replaces or adds a decoration, with or without a literal operand. */
static void change_decoration(struct mutation *m)
{
    const struct instr *i = find(m, is_decoration);
    if (!i)
        return;
    const uint32_t word = i->info->op == SpvOpDecorate ? 2 : 3;
    uint32_t words[8] = {0}, size = word + 1 + rnd(m, 2);
    memcpy(words, m->words + i->at, MIN2(word, i->size) * sizeof *words);
    words[word] = rnd(m, 2) ? rnd(m, 45) : i->size > word ? m->words[i->at + word] : 0;
    words[word + 1] = interesting(m, i->size > word + 1 ? m->words[i->at + word + 1] : 0);
    if (rnd(m, 3) == 0)
        words[1] = other_id(m, words[1]);
    words[0] = size << 16 | i->info->op;
    if (rnd(m, 2))
        remove_words(m, i->at, i->size);
    insert_words(m, i->at, words, size);
}

/* ---------------------------------------------------------------- new and copied instructions */

/* Writes random operands along the grammar; includes optional ones half of the time. Returns the words written. */
static uint32_t make_operands(struct mutation *m, const char *kinds, uint32_t *out, uint32_t room)
{
    uint32_t count = 0;
    for (; *kinds && count + 2 < room; kinds++) {
        char kind = *kinds;
        uint32_t times = 1;
        if (kind == '?') {
            if (rnd(m, 2))
                return count;
            continue;
        }
        if (kind == '*') {
            kind = *++kinds;
            times = rnd(m, 5);
        }
        for (; times && count + 2 < room; times--) {
            const struct instr *type = kind == 't' ? find(m, is_op_type) : NULL;
            if (kind == 't')
                out[count++] = type ? m->words[type->at + 1] : 1;
            else if (kind == 'r')
                out[count++] = m->words[3]++;
            else if (kind == 's')
                out[count++] = 0x6e69; /* "in" */
            else if (kind == 'i' || kind == 'x' || kind == 'q')
                out[count++] = other_id(m, 0);
            else
                out[count++] = rnd(m, 2) ? rnd(m, 40) : interesting(m, 0);
            if (kind == 'p' || kind == 'x')
                out[count++] = other_id(m, 0);
            else if (kind == 'q')
                out[count++] = interesting(m, 0);
        }
    }
    return count;
}

static void make_instr(struct mutation *m)
{
    uint32_t words[MAX_COPY];
    const struct instr *place = rnd(m, 4) && find(m, is_in_body) ? find(m, is_in_body) : any_instr(m);
    for (uint32_t tries = 0; tries < 50; tries++) {
        const struct spv_op_info *info = spv_op_info(rnd(m, 10) ? rnd(m, 410) : rnd(m, 6200));
        if (!info)
            continue;
        uint32_t size = 1 + make_operands(m, info->operands, words + 1, 40);
        words[0] = size << 16 | info->op;
        insert_words(m, place->at, words, size);
        return;
    }
}

/* Copies a few instructions of another module. Their results get new ids; other ids they use are replaced by ids of
 * this module. */
static void take_from_donor(struct mutation *m)
{
    static struct instr theirs[MAX_INSTRS];
    if (!m->donor_count)
        return;
    const struct mutate_module *donor = &m->donors[rnd(m, m->donor_count)];
    uint32_t their_count = find_instrs(donor->words, donor->count, theirs), from[16], to[16], known = 0;
    if (!their_count)
        return;
    uint32_t first = rnd(m, their_count), last = first + 1 + rnd(m, 10);
    last = MIN2(last, their_count);
    uint32_t at = any_instr(m)->at;
    for (uint32_t n = first; n < last; n++) {
        uint32_t copy[MAX_COPY];
        struct operand operands[MAX_OPERANDS];
        const struct instr *i = &theirs[n];
        if (i->size > MAX_COPY)
            return;
        memcpy(copy, donor->words + i->at, i->size * sizeof *copy);
        uint32_t count = list_operands(donor->words, i, operands);
        for (uint32_t k = 0; k < count; k++) {
            uint32_t *word = &copy[operands[k].word], found = 0;
            if (!strchr("tri", operands[k].letter))
                continue;
            while (found < known && from[found] != *word)
                found++;
            if (operands[k].letter == 'r' && known < ARRAY_SIZE(from)) {
                from[known] = *word;
                *word = to[known++] = m->words[3]++;
            } else if (found < known) {
                *word = to[found];
            } else {
                const struct instr *type = operands[k].letter == 't' ? find(m, is_op_type) : NULL;
                *word = type ? m->words[type->at + 1] : other_id(m, 0);
            }
        }
        if (!insert_words(m, at, copy, i->size))
            return;
        at += i->size;
        m->instr_count = find_instrs(m->words, m->count, m->instrs);
    }
}

/* ---------------------------------------------------------------- one mutation */

uint32_t mutate(uint32_t *words, uint32_t count, uint32_t room, uint64_t *state, const struct mutate_module *donors,
                uint32_t donor_count)
{
    static struct instr instrs[MAX_INSTRS];
    struct mutation m = {.words = words, .count = count, .room = room, .state = state, .instrs = instrs,
                         .donors = donors, .donor_count = donor_count};
    m.instr_count = count > HEADER_WORDS ? find_instrs(words, count, instrs) : 0;
    if (!m.instr_count)
        return count;
    static void (*const changes[])(struct mutation * m) = {
        change_id,         change_id,            change_id,        exchange_ids,      change_type,  change_operation,
        change_operation,  change_jump,          change_jump,      make_recursive,    change_number, change_number,
        change_constant,   change_image,         change_storage_class, remove_instrs, repeat_instr, move_instr,
        exchange_neighbours, change_decoration,  change_decoration, make_instr,       take_from_donor,
    };
    changes[rnd(&m, ARRAY_SIZE(changes))](&m);
    return m.count;
}
