/* SPDX-License-Identifier: MIT
 *
 * Creates the parts of a qc_program: temporaries, uniforms, blocks, operations. All memory comes from the program's
 * arena; when that is exhausted, it calls longjmp.
 */
#include "compiler/qpu/qc_ir.h"

#include <stdarg.h>
#include <string.h>

void qc_fail(struct qc_program *p, enum vc4c_result result, const char *fmt, ...)
{
    if (p->error) {
        va_list va;
        va_start(va, fmt);
        vsnprintf(p->error->text, sizeof p->error->text, fmt, va);
        va_end(va);
        p->error->offset_words = 0;
    }
    p->result = result;
    longjmp(*p->fail, 1);
}

/* Makes room for one more element. The old array stays allocated in the arena. */
static void *grow(struct qc_program *p, void *old, uint32_t count, uint32_t *room, size_t size_B)
{
    if (count < *room)
        return old;
    uint32_t new_room = *room ? *room * 2 : 64;
    void *grown = util_arena_alloc_array(p->arena, new_room, size_B);
    if (count)
        memcpy(grown, old, count * size_B);
    *room = new_room;
    return grown;
}

uint32_t qc_temp_new(struct qc_program *p, uint8_t classes)
{
    p->temps = grow(p, p->temps, p->temp_count, &p->temp_room, sizeof *p->temps);
    p->temps[p->temp_count] = (struct qc_temp){.classes = classes};
    return p->temp_count++;
}

uint32_t qc_uniform_new(struct qc_program *p, struct vc4c_uniform u)
{
    p->uniforms = grow(p, p->uniforms, p->uniform_count, &p->uniform_room, sizeof *p->uniforms);
    p->uniforms[p->uniform_count] = u;
    return p->uniform_count++;
}

uint32_t qc_lookup_new(struct qc_program *p, struct vc4c_lookup l)
{
    p->lookups = grow(p, p->lookups, p->lookup_count, &p->lookup_room, sizeof *p->lookups);
    p->lookups[p->lookup_count] = l;
    return p->lookup_count++;
}

uint32_t qc_flag_group_new(struct qc_program *p)
{
    return ++p->flag_group_count;
}

struct qc_block *qc_block_new(struct qc_program *p)
{
    struct qc_block *b = util_arena_new(p->arena, struct qc_block);
    util_list_init(&b->instrs);
    b->branch_cond = QPU_BRANCH_ALWAYS;
    return b;
}

void qc_program_add_loop(struct qc_program *p, struct qc_block *head, struct qc_block *last)
{
    struct qc_loop *l = util_arena_new(p->arena, struct qc_loop);
    l->head = head;
    l->last = last;
    util_list_add_tail(&p->loops, &l->link);
}

void qc_instr_init(struct qc_instr *i, enum qc_kind kind)
{
    *i = (struct qc_instr){.kind = (uint8_t)kind,
                           .cond = QPU_COND_ALWAYS,
                           .waddr = QPU_W_NOP,
                           .waddr_files = QC_FILE_ANY,
                           .sig = QPU_SIG_NONE,
                           .dst = QC_NONE,
                           .result = QC_NONE,
                           .config = QC_NONE,
                           .lookup = QC_NONE,
                           .request = QC_NONE};
    util_list_init(&i->link);
}

struct qc_instr *qc_instr_new(struct qc_program *p, enum qc_kind kind)
{
    struct qc_instr *i = util_arena_new(p->arena, struct qc_instr);
    qc_instr_init(i, kind);
    i->origin = p->origin;
    return i;
}
