/* SPDX-License-Identifier: MIT
 *
 * State of one scheduling run, shared by the scheduler (qc_schedule.c) and the register allocator (qc_regs.c).
 */
#ifndef QPU_QC_SCHED_H
#define QPU_QC_SCHED_H

#include "compiler/qpu/qc_dag.h"
#include "compiler/qpu/qc_word.h"

#define QC_FILE_REGS 32
#define QC_ACCS      4

/* What one run tries; runs differ in this, the shortest program wins. */
struct qc_strategy {
    uint8_t acc_life;    /* values that live at most so many words go to accumulators */
    uint8_t reserve;     /* below so many free file registers, nothing is begun that takes one more */
    uint8_t kill_weight; /* how much ending a life counts against the critical path */
    bool lazy;           /* constants and uniforms are fetched as late as an earlier run allows */
    bool dense;          /* accumulators by life per use, not by life */
    bool in_order;       /* operations as they stand in the block: least pressure, no fancy */
    uint32_t seed;       /* breaks ties; 0: by order */
};

/* A temporary at work. */
struct qc_life {
    struct qc_place at;   /* kind NONE: not written yet */
    struct qc_place home; /* of one that was copied but must also stay: where other blocks, readers of parts and
                           * writers of parts know it. kind NONE: not copied */
    uint32_t ready;       /* first word of the block that may read it */
    uint32_t written;     /* word that wrote it last */
    uint32_t pending;     /* operations of the block that still refer to it */
    uint32_t writer;      /* node that wrote it last in this block, QC_NONE */
};

/* The words of one block. */
struct qc_schedule_block {
    struct qc_block *block;
    struct qc_word *words;
    uint32_t count, room;
    uint32_t branch_setter_word; /* last word that the branch must follow, QC_NONE */
    struct vc4c_site site;       /* of a block that is a sequence: kind and registers */
};

struct qc_schedule {
    struct qc_schedule_block *blocks;
    uint32_t registers; /* highest number of file registers in use */
    uint32_t *cycle_of; /* by program-wide operation number: its word in its block */
};

struct qc_candidate {
    uint32_t node;
    int score;
};

/* Kept from run to run: memory is not given back. */
struct qc_sched {
    struct qc_program *p;
    const struct qc_strategy *strategy;
    const struct qc_schedule *previous;           /* an earlier run, to judge lifetimes by; or NULL */
    struct qc_life *lives;                        /* by temporary */
    uint32_t owner[QC_PLACE_KINDS][QC_FILE_REGS]; /* temporary in each register, QC_NONE = free */
    uint32_t free_mask[QC_PLACE_KINDS];           /* the same as bits: 1 = free */
    uint32_t used_count, used_max;

    /* The block at work. */
    struct qc_block *block;
    struct qc_dag *dag;
    uint32_t operation_base, operation_count; /* number of the block's first operation; of all */
    uint32_t cycle;
    struct qc_draft draft; /* the word being filled */
    uint32_t *in_left, *earliest, *soft;
    bool *is_issued;
    struct qc_candidate *candidates;
    uint32_t *ready, ready_count; /* nodes whose predecessors are all issued */
    uint32_t done_count;
    uint32_t r4_free_at;               /* no load into r4 before */
    uint32_t flag_group, flag_readers; /* group that the flags hold, readers left */
    struct qc_schedule_block *out;     /* its words so far */
    uint32_t switch_node;              /* the thread switch whose requests are all out, QC_NONE */
    uint32_t switch_until;             /* delay slots of a switch that was issued: accumulators die here */
    bool uniforms_allowed;
};

/* ---------------------------------------------------------------- places (qc_regs.c) */

void qc_regs_init(struct qc_sched *s);
void qc_regs_begin_block(struct qc_sched *s);
void qc_regs_end_block(struct qc_sched *s);

/* Classes (QC_IN_ACC, QC_IN_A, QC_IN_B) in which `temp`, written by node `n` (QC_NONE: in another block), may be put,
 * the best first. */
unsigned qc_regs_rank(struct qc_sched *s, uint32_t temp, uint32_t n, uint8_t out[3]);
/* A free register of the class; `releasing` counts as free. */
bool qc_regs_find(const struct qc_sched *s, uint8_t cls, const struct qc_place *releasing, unsigned releasing_count,
                  struct qc_place *out);
void qc_regs_take(struct qc_sched *s, uint32_t temp, struct qc_place at);
void qc_regs_release(struct qc_sched *s, uint32_t temp);
/* To another register: for good, or beside the first one when that must stay. */
void qc_regs_move(struct qc_sched *s, uint32_t temp, struct qc_place to);
/* Gives up the copy. */
void qc_regs_go_home(struct qc_sched *s, uint32_t temp);
uint32_t qc_regs_owner(const struct qc_sched *s, struct qc_place at);
unsigned qc_regs_free_files(const struct qc_sched *s);

/* Does the value end with its last use in the block at work? */
static inline bool qc_regs_dies_here(const struct qc_sched *s, uint32_t temp)
{
    const struct qc_temp *t = &s->p->temps[temp];
    return t->last <= s->block->index && !(t->held && t->last == s->block->index);
}

static inline bool qc_place_is_file(struct qc_place at)
{
    return at.kind == QC_PLACE_A || at.kind == QC_PLACE_B;
}

/* ---------------------------------------------------------------- runs */

/* Needs block->dag of all blocks. */
struct qc_sched *qc_sched_create(struct qc_program *p);
/* Schedules the whole program into `out`, zeroed or of an earlier run. False when registers run out. */
bool qc_sched_run(struct qc_sched *s, const struct qc_strategy *strategy, const struct qc_schedule *previous,
                  struct qc_schedule *out);
/* Joins the blocks of a schedule into code (qc_emit.c). */
struct qc_emitter *qc_emitter_create(struct qc_program *p);
/* How many instructions it would be. */
uint32_t qc_emit_length(struct qc_emitter *e, struct qc_schedule *s);
/* Fills code, uniforms and lookups of `out`. */
void qc_emit(struct qc_emitter *e, struct qc_schedule *s, const struct util_alloc *alloc, struct vc4c_program *out);

#endif
