/* SPDX-License-Identifier: MIT
 *
 * State of one scheduling run, shared by the scheduler (qc_schedule.c, qc_choose.c, qc_copies.c) and the register
 * allocator (qc_regs.c).
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
    bool dies;            /* the value ends with its last use in the block */
};

/* A node of the block at work. */
struct qc_wait {
    uint32_t in_left;    /* predecessors not issued yet */
    uint32_t earliest;   /* first word that may bear it, as far as those issued say */
    uint32_t soft;       /* first word in which it does not stall the chip */
    uint32_t not_before; /* a constant or uniform: an earlier run did not want it sooner */
    uint32_t refused_by; /* number of the word that had no place for it */
    uint32_t fits_since; /* s->moves when it was found to fit a word of its own, +1 */
    int score;           /* the part that stays */
    bool is_issued;
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

/* Operations by score, the best first; of equal ones the earlier in the block. */
typedef uint64_t qc_key;

/* Candidates for a word: those of s->ready that have been looked at, as a heap. */
struct qc_queue {
    qc_key *keys;
    uint32_t count;
    uint32_t next; /* in s->ready: those from here on have not been looked at */
    uint32_t last; /* strategy.in_order: the last operation that is looked at */
    bool is_tight; /* registers are few */
};

/* Kept from run to run: memory is not given back. */
struct qc_sched {
    struct qc_program *p;
    const struct qc_strategy *strategy;
    const struct qc_schedule *previous;           /* an earlier run, to judge lifetimes by; or NULL */
    struct qc_life *lives;                        /* by temporary */
    uint32_t owner[QC_PLACE_KINDS][QC_FILE_REGS]; /* temporary in each register, QC_NONE = free */
    uint32_t free_mask[QC_PLACE_KINDS];           /* the same as bits: 1 = free */
    uint32_t all_mask[QC_PLACE_KINDS];            /* registers that there are */
    uint32_t free_count[QC_PLACE_KINDS];
    uint32_t *kept, kept_count; /* temporaries that take their place before they are written */
    uint32_t used_count, used_max;

    /* The block at work. */
    struct qc_block *block;
    struct qc_dag *dag;
    uint32_t operation_base, operation_count; /* number of the block's first operation; of all */
    uint32_t cycle;
    struct qc_draft draft; /* the word being filled */
    uint32_t word_number;  /* of the run */
    struct qc_wait *waits;
    struct qc_queue candidates;
    qc_key *ready; /* nodes whose predecessors are all issued, by the part of their score that stays: the best first */
    uint32_t ready_count;
    uint32_t ready_others; /* of them, those that need no unit */
    uint32_t done_count;
    uint32_t moves;                    /* so many times a value has changed its place */
    uint32_t r4_free_at;               /* no load into r4 before */
    uint32_t flag_group, flag_readers; /* group that the flags hold, readers left */
    struct qc_schedule *schedule;      /* what the run fills */
    struct qc_schedule_block *out;     /* of it, the block's words so far */
    struct qc_instr copies[QC_DRAFT_SLOTS]; /* of the word being filled */
    uint32_t switch_node;              /* the thread switch whose requests are all out, QC_NONE */
    uint32_t switch_until;             /* delay slots of a switch that was issued: accumulators die here */
    bool uniforms_allowed;

    /* A run that cannot become shorter than `limit` is given up. */
    uint32_t limit, words_before,
        words_behind; /* of the program; in blocks that are done and that are to come, at the least */
    uint32_t block_least;                       /* words of the block at work, at the least */
    uint32_t first_left;                        /* in dag->by_tail: everything before is issued */
    uint64_t demand_left;                       /* of what is not issued */
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

static inline bool qc_place_is_file(struct qc_place at)
{
    return at.kind == QC_PLACE_A || at.kind == QC_PLACE_B;
}

/* ---------------------------------------------------------------- choosing (qc_choose.c) */

static inline uint32_t qc_node_of(qc_key key)
{
    return UINT32_MAX - (uint32_t)key;
}

/* What a run begins with in the block at work. */
void qc_choose_begin_block(struct qc_sched *s);
void qc_ready_add(struct qc_sched *s, uint32_t n);
void qc_ready_remove(struct qc_sched *s, uint32_t n);
/* From the beginning again: the word has changed. */
void qc_collect(struct qc_sched *s);
/* The best that may go into the word and was not given out since; false when none is left, or when the word had better
 * end. */
bool qc_next_candidate(struct qc_sched *s, uint32_t *node_out);
/* Is the time right for it: operands, flags, latches? */
bool qc_may_issue(const struct qc_sched *s, uint32_t n);
/* Nobody needs the latch any more, or only the operation that is about to overwrite it. */
bool qc_latch_is_free(const struct qc_sched *s, const struct qc_node *node, uint32_t owner);

/* The operation is the last to read temporary reads[k]. */
static inline bool qc_is_last_reader(const struct qc_sched *s, const struct qc_node *node, unsigned k)
{
    const struct qc_life *l = &s->lives[node->reads[k]];
    return l->pending == node->read_count[k] && l->dies;
}

/* In the delay slots of a thread switch, and while one is due, nothing begins that only accumulators or flags hold. */
static inline bool qc_is_draining(const struct qc_sched *s)
{
    return s->switch_node != QC_NONE || s->cycle < s->switch_until;
}

/* ---------------------------------------------------------------- lengths (qc_bound.c) */

/* Words that a block takes at the least; `none_issued` has a zeroed entry for each of its nodes. */
uint32_t qc_bound_block(const struct qc_dag *dag, const struct qc_wait *none_issued);
/* False when the run cannot become shorter than its limit, now that the word at s->cycle is full. */
bool qc_may_become_shorter(struct qc_sched *s);

/* ---------------------------------------------------------------- words (qc_schedule.c) */

/* Where writers of parts write it. */
static inline struct qc_place qc_home_of(const struct qc_life *l)
{
    return l->home.kind != QC_PLACE_NONE ? l->home : l->at;
}

/* The place where readers of a source find it. */
static inline struct qc_place qc_place_of(const struct qc_sched *s, struct qc_src src)
{
    if (src.kind != QC_SRC_TEMP)
        return (struct qc_place){0};
    struct qc_place at = src.unpack ? qc_home_of(&s->lives[src.index]) : s->lives[src.index].at;
    if (at.kind == QC_PLACE_NONE) /* never written */
        at = src.unpack ? (struct qc_place){QC_PLACE_A, 0} : (struct qc_place){QC_PLACE_ACC, 0};
    return at;
}

/* Puts the operation into the word, if that has room. */
bool qc_fits(struct qc_sched *s, const struct qc_instr *i, struct qc_place dst);

/* ---------------------------------------------------------------- copies (qc_copies.c) */

/* Adds copies of values that stand in the way of what is ready, as far as the word has room. */
void qc_add_copies(struct qc_sched *s);

/* ---------------------------------------------------------------- runs (qc_schedule.c) */

/* Needs block->dag of all blocks. */
struct qc_sched *qc_sched_create(struct qc_program *p);
/* How many words any schedule becomes at the least. */
uint32_t qc_sched_least(const struct qc_sched *s);

enum qc_run { QC_RUN_DONE, QC_RUN_NOT_SHORTER, QC_RUN_STUCK };
/* Schedules the whole program into `out`, zeroed or of an earlier run. STUCK when registers run out; NOT_SHORTER as
 * soon as it is clear that the program will have `limit` words or more. */
enum qc_run qc_sched_run(struct qc_sched *s, const struct qc_strategy *strategy, const struct qc_schedule *previous,
                         uint32_t limit, struct qc_schedule *out);
/* Joins the blocks of a schedule into code (qc_emit.c). */
struct qc_emitter *qc_emitter_create(struct qc_program *p);
/* How many instructions it would be. */
uint32_t qc_emit_length(struct qc_emitter *e, struct qc_schedule *s);
/* Fills code, uniforms and lookups of `out`. */
void qc_emit(struct qc_emitter *e, struct qc_schedule *s, const struct util_alloc *alloc, struct vc4c_program *out);

#endif
