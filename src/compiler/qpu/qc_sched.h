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

/* How many ready operations are looked at, the best first. More are ready only where a block has very many that do not
 * depend on each other, for instance stores of constants to all of a workgroup's memory. */
#define QC_READY_TRIES_MAX 1024u

/* The parameters of a run. Runs use different strategies, and the shortest program wins. */
struct qc_strategy {
    uint8_t acc_life;    /* values that live at most this many words go to accumulators */
    uint8_t reserve;     /* with at most this many free file registers, operations that need a new one are penalised */
    uint8_t kill_weight; /* weight of ending a live range, relative to the critical path */
    bool lazy;           /* fetches constants and uniforms as late as an earlier run suggests */
    bool dense;          /* chooses accumulators by live range per use, not by live range */
    bool in_order;       /* issues operations in program order, for the lowest pressure */
    uint32_t seed;       /* randomises priorities; 0: ties go to the earlier operation */
};

/* The state of a temporary. */
struct qc_life {
    struct qc_place at;       /* its register; kind NONE: not written yet */
    struct qc_place original; /* the original register of a value that was copied but must also stay: other blocks,
                               * readers of parts and writers of parts use it. kind NONE: not copied */
    uint32_t ready;           /* first word of the block that can read it */
    uint32_t written;         /* word that wrote it last */
    uint32_t pending;         /* operations of the block that still refer to it */
    uint32_t writer;          /* node that wrote it last in this block, QC_NONE */
    bool dies;                /* the value ends with its last use in the block */
};

/* The state of a node in the current block. */
struct qc_node_state {
    uint32_t in_left;    /* predecessors that are not issued yet */
    uint32_t earliest;   /* first word that may take it, as far as issued predecessors determine */
    uint32_t soft;       /* first word in which it does not stall the chip */
    uint32_t not_before; /* constants and uniforms: an earlier run did not need it before */
    uint32_t refused_by; /* number of the last word that had no room for it */
    uint32_t fits_since; /* s->moves + 1 when it was found to fit a word of its own; 0: not found */
    int score;           /* the fixed part of its score */
    bool is_issued;
};

/* The words of one block. */
struct qc_schedule_block {
    struct qc_block *block;
    struct qc_word *words;
    uint32_t count, room;
    uint32_t branch_setter_word; /* the branch must come after this word; QC_NONE: no limit */
    struct vc4c_site site;       /* for a block that is a sequence: kind and registers */
};

struct qc_schedule {
    struct qc_schedule_block *blocks;
    uint32_t registers; /* largest number of file registers in use at a time */
    uint32_t *cycle_of; /* by program-wide operation number: index of its word in its block */
};

/* Sort key of an operation: larger is better. Of equal scores, the earlier operation in the block is better. */
typedef uint64_t qc_key;

/* Candidates for a word, as a heap: the operations of s->ready considered so far. */
struct qc_queue {
    qc_key *keys;
    uint32_t count;
    uint32_t next; /* index in s->ready of the next operation to consider */
    uint32_t last; /* strategy.in_order: the last operation to consider */
    bool is_tight; /* few registers are free */
};

/* The scheduler's state. It is reused by all runs, so that they share memory. */
struct qc_sched {
    struct qc_program *p;
    const struct qc_strategy *strategy;
    const struct qc_schedule *previous;           /* an earlier run, to estimate live ranges; or NULL */
    struct qc_life *lives;                        /* by temporary */
    uint32_t owner[QC_PLACE_KINDS][QC_FILE_REGS]; /* temporary in each register, QC_NONE = free */
    uint32_t free_mask[QC_PLACE_KINDS];           /* the same as bits: 1 = free */
    uint32_t all_mask[QC_PLACE_KINDS];            /* all registers of the kind */
    uint32_t free_count[QC_PLACE_KINDS];
    uint32_t node_max;          /* of a block */
    uint32_t *kept, kept_count; /* temporaries that get their register before they are written */
    uint32_t used_count, used_max;

    /* The current block. */
    struct qc_block *block;
    struct qc_dag *dag;
    uint32_t operation_base, operation_count; /* number of the block's first operation; number of all operations */
    uint32_t cycle;
    struct qc_draft draft; /* the word being filled */
    uint32_t word_number;  /* counts the words of the run */
    struct qc_node_state *states;
    struct qc_queue candidates;
    qc_key *ready; /* nodes whose predecessors are all issued, by their fixed score, the best last */
    uint32_t ready_count;
    uint32_t ready_non_alu; /* how many of them are not ALU operations */
    uint32_t done_count;
    uint32_t moves;                    /* counts values that changed their register */
    uint32_t r4_free_at;               /* first word that may load r4 */
    uint32_t flag_group, flag_readers; /* group in the flags, and its remaining readers */
    struct qc_schedule *schedule;      /* the run's output */
    struct qc_schedule_block *out;     /* its entry for the current block */
    struct qc_instr copies[QC_DRAFT_SLOTS]; /* copies in the word being filled */
    uint32_t switch_node;              /* the thread switch that is due: all its requests are issued; or QC_NONE */
    uint32_t switch_until;             /* end of the delay slots of an issued switch, where accumulators are lost */
    bool uniforms_allowed;

    /* A run that cannot become shorter than `limit` is stopped. */
    uint32_t limit, words_before,
        words_after; /* words in finished blocks, and minimum number of words in later ones */
    uint32_t block_min_words; /* minimum number of words of the current block */
    uint32_t first_unissued;  /* index in dag->by_tail: everything before it is issued */
    uint64_t demand_left;     /* demand of all operations that are not issued */
};

/* ---------------------------------------------------------------- registers (qc_regs.c) */

void qc_regs_init(struct qc_sched *s);
void qc_regs_begin_block(struct qc_sched *s);
void qc_regs_end_block(struct qc_sched *s);

/* The classes, of QC_IN_ACC, QC_IN_A and QC_IN_B, in which `temp` may be now. */
uint8_t qc_regs_classes(const struct qc_sched *s, uint32_t temp);
/* Ranks the classes (QC_IN_ACC, QC_IN_A, QC_IN_B) for `temp`, written by node `n` (QC_NONE: in another block). `out`
 * gets the allowed ones, the best first; returns their number. */
unsigned qc_regs_rank(struct qc_sched *s, uint32_t temp, uint32_t n, uint8_t out[3]);
/* Finds a free register of the class. The registers in `releasing` count as free. */
bool qc_regs_find(const struct qc_sched *s, uint8_t cls, const struct qc_place *releasing, unsigned releasing_count,
                  struct qc_place *out);
void qc_regs_take(struct qc_sched *s, uint32_t temp, struct qc_place at);
void qc_regs_release(struct qc_sched *s, uint32_t temp);
/* Moves a value to another register, or copies it there when the original must stay. */
void qc_regs_move(struct qc_sched *s, uint32_t temp, struct qc_place to);
/* Releases the copy, if there is one, and uses the original again. */
void qc_regs_drop_copy(struct qc_sched *s, uint32_t temp);
uint32_t qc_regs_owner(const struct qc_sched *s, struct qc_place at);
unsigned qc_regs_free_files(const struct qc_sched *s);

static inline bool qc_place_is_file(struct qc_place at)
{
    return at.kind == QC_PLACE_A || at.kind == QC_PLACE_B;
}

/* ---------------------------------------------------------------- candidates (qc_choose.c) */

static inline uint32_t qc_node_of(qc_key key)
{
    return UINT32_MAX - (uint32_t)key;
}

/* Ready operation number `k`, the best first. */
static inline uint32_t qc_ready(const struct qc_sched *s, uint32_t k)
{
    return qc_node_of(s->ready[s->ready_count - 1 - k]);
}

/* Initialises the scores of the current block's nodes. */
void qc_choose_begin_block(struct qc_sched *s);
void qc_ready_add(struct qc_sched *s, uint32_t n);
void qc_ready_remove(struct qc_sched *s, uint32_t n);
/* Restarts the search for candidates, after the word has changed. */
void qc_collect(struct qc_sched *s);
/* Returns the best candidate not returned since qc_collect(). False when there is none, or when the word should rather
 * end. */
bool qc_next_candidate(struct qc_sched *s, uint32_t *node_out);
/* True when operands, flags and latches allow the operation at this word. */
bool qc_may_issue(const struct qc_sched *s, uint32_t n);
/* True when the latch is unused, or when the operation that overwrites it is the last reader of its value. */
bool qc_latch_is_free(const struct qc_sched *s, const struct qc_node *node, uint32_t owner);

/* True when the operation is the last to read temporary reads[k]. */
static inline bool qc_is_last_reader(const struct qc_sched *s, const struct qc_node *node, unsigned k)
{
    const struct qc_life *l = &s->lives[node->reads[k]];
    return l->pending == node->read_count[k] && l->dies;
}

/* True while a thread switch is due and in its delay slots: then no live range may begin in accumulators or flags. */
static inline bool qc_is_draining(const struct qc_sched *s)
{
    return s->switch_node != QC_NONE || s->cycle < s->switch_until;
}

/* ---------------------------------------------------------------- lower bounds (qc_bound.c) */

/* Lower bound on the words of a block. `none_issued` has a zeroed entry for each of its nodes. */
uint32_t qc_bound_block(const struct qc_dag *dag, const struct qc_node_state *none_issued);
/* False when the run cannot become shorter than its limit. Called when the word at s->cycle is full. */
bool qc_can_beat_limit(struct qc_sched *s);

/* ---------------------------------------------------------------- words (qc_schedule.c) */

/* The register that writers of parts write. */
static inline struct qc_place qc_original_place(const struct qc_life *l)
{
    return l->original.kind != QC_PLACE_NONE ? l->original : l->at;
}

/* The register from which a source is read. */
static inline struct qc_place qc_place_of(const struct qc_sched *s, struct qc_src src)
{
    if (src.kind != QC_SRC_TEMP)
        return (struct qc_place){0};
    struct qc_place at = src.unpack ? qc_original_place(&s->lives[src.index]) : s->lives[src.index].at;
    if (at.kind == QC_PLACE_NONE) /* never written */
        at = src.unpack ? (struct qc_place){QC_PLACE_A, 0} : (struct qc_place){QC_PLACE_ACC, 0};
    return at;
}

/* Offers the operation to the word (qc_draft_offer). Returns false when the word has no room. */
bool qc_offer(struct qc_sched *s, const struct qc_instr *i);

/* ---------------------------------------------------------------- copies (qc_copies.c) */

/* Adds copies of values that block ready operations, as far as the word has room. */
void qc_add_copies(struct qc_sched *s);

/* ---------------------------------------------------------------- runs (qc_schedule.c) */

/* Needs block->dag of all blocks. */
struct qc_sched *qc_sched_create(struct qc_program *p);
/* Finds the lower bounds by which runs are stopped; without it they are 0. Returns qc_sched_min_words(). */
uint32_t qc_sched_find_bounds(struct qc_sched *s);
/* Lower bound on the words of any schedule. */
uint32_t qc_sched_min_words(const struct qc_sched *s);

enum qc_run { QC_RUN_DONE, QC_RUN_NOT_SHORTER, QC_RUN_STUCK };
/* Schedules the whole program into `out`, which is zeroed or holds an earlier run. Returns STUCK when registers run
 * out, and NOT_SHORTER as soon as the program is certain, or likely, to have `limit` words or more. */
enum qc_run qc_sched_run(struct qc_sched *s, const struct qc_strategy *strategy, const struct qc_schedule *previous,
                         uint32_t limit, struct qc_schedule *out);
/* Joins the blocks of a schedule into code (qc_emit.c). */
struct qc_emitter *qc_emitter_create(struct qc_program *p);
/* Number of instructions of the program that the schedule yields. */
uint32_t qc_emit_length(struct qc_emitter *e, struct qc_schedule *s);
/* Fills code, uniforms and lookups of `out`. */
void qc_emit(struct qc_emitter *e, struct qc_schedule *s, const struct util_alloc *alloc, struct vc4c_program *out);
/* Adds the tables of constants to the emitted program. If memory runs out the program is freed (qc_tables.c). */
void qc_keep_tables(struct qc_program *p, struct vc4c_program *out);

#endif
