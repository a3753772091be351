/* SPDX-License-Identifier: MIT
 *
 * The back end's own program representation, private to compiler/qpu: single operations of the chip on temporaries, in
 * basic blocks in program order.
 *
 * The passes of the back end (qc_compile.c): selection walks the IR and makes blocks of operations (qc_select.c,
 * qc_select_io.c, qc_cfg.c). Peepholes shorten them (qc_opt.c). The scheduler orders operations, pairs them into
 * instruction words and allocates a register for each temporary as it goes (qc_dag.c, qc_schedule.c, qc_word.c). The
 * emitter joins the blocks, adds branches and the program's end, and writes the uniform stream and the list of lookups
 * (qc_emit.c).
 *
 * Temporaries are not SSA: several operations may write one (parts of a word, lanes under a condition, the moves of a
 * phi). The operations of a block are in an order that is correct when they are executed one after another.
 */
#ifndef QPU_QC_IR_H
#define QPU_QC_IR_H

#include "compiler/ir/ir.h"
#include "compiler/qpu/qc.h"
#include "hw/qpu.h"

#define QC_NONE UINT32_MAX

/* ---------------------------------------------------------------- operations */

enum qc_src_kind {
    QC_SRC_NONE,
    QC_SRC_TEMP,
    QC_SRC_UNIFORM, /* index: entry of program->uniforms */
    QC_SRC_CONST,   /* index: the word; becomes a small immediate or a uniform when the instruction word is made */
    QC_SRC_READ,    /* raddr: peripheral or hardware value */
};

enum qc_files { QC_FILE_A = 1, QC_FILE_B = 2, QC_FILE_ANY = 3 };

struct qc_src {
    uint8_t kind;   /* enum qc_src_kind */
    uint8_t unpack; /* enum qpu_unpack; temporaries only: they must then be in file A or r4 */
    uint8_t raddr;  /* QC_SRC_READ: enum qpu_raddr */
    uint8_t files;  /* QC_SRC_READ: read ports that can read it, enum qc_files */
    uint32_t index;
};

enum qc_kind {
    QC_ALU,      /* op_add or op_mul or, where both are set, either unit */
    QC_LOAD_IMM, /* writes imm to the destination; takes a word of its own */
    QC_SIGNAL,   /* a signal that loads `result` through r4 */
    QC_READ,     /* reads src[0] for its side effect only */
    QC_SWITCH,   /* thread switch */
    QC_SEQUENCE, /* CPU engine: makes up a whole block, see qc_block.sequence */
    QC_BRANCH,   /* end of a block: never scheduled as an operation, represents the reader of its flags */
};

/* Operations that share a chain stay in order. */
enum qc_chain {
    QC_CHAIN_VPM_READ = 1,
    QC_CHAIN_VPM_WRITE = 2,
    QC_CHAIN_VARYING = 4,
    QC_CHAIN_TLB = 8,
    QC_CHAIN_TMU = 16, /* parameter writes of both units */
    QC_CHAIN_COUNT_LOG2 = 5
};

struct qc_instr {
    struct util_list link;  /* in block->instrs */
    uint8_t kind;           /* enum qc_kind */
    uint8_t op_add, op_mul; /* 0: not on this unit */
    uint8_t cond;           /* enum qpu_cond */
    uint8_t sf;             /* sets the flags of group `sets` */
    uint8_t pm, pack;       /* pm 0: file A pack, pm 1: mul pack */
    uint8_t rotate;         /* 1..15: rotation of the mul result */
    uint8_t waddr;          /* peripheral that it writes, or QPU_W_NOP */
    uint8_t waddr_files;    /* enum qc_files: address space the peripheral needs */
    uint8_t sig;            /* QC_SIGNAL */
    uint8_t chains;         /* enum qc_chain */
    uint8_t rigid : 1;      /* part of a pattern that the kernel checks: operands must not change */
    uint8_t tlb : 1;        /* accesses the tile buffer, which locks the scoreboard */
    uint8_t tmu_first : 1;  /* first write of a request */
    uint8_t tmu_unit : 1;
    uint8_t reset : 2;   /* 1: load-immediate of a uniforms-address reset, 2: its add */
    uint8_t branch_cond; /* QC_BRANCH: enum qpu_branch_cond */
    struct qc_src src[2];
    uint32_t dst;        /* temporary or QC_NONE */
    uint32_t result;     /* temporary that arrives in r4 (SFU, signals) or r5 (varyings), or QC_NONE */
    uint32_t imm;        /* QC_LOAD_IMM */
    uint32_t config;     /* uniform that the TMU write pops as configuration word, or QC_NONE */
    uint32_t lookup;     /* S write: entry of program->lookups, or QC_NONE */
    uint32_t sets, uses; /* flag groups, 0 = none */
    uint32_t request;    /* number of the texture request that a parameter write or a load belongs to */
    uint32_t index;      /* index in the block; set by qc_dag.c */
    uint32_t origin;     /* spirv_offset of the IR instruction that it was selected for */
};

enum qc_class { /* registers that may hold a temporary, bits */
                QC_IN_ACC = 1,
                QC_IN_A = 2,
                QC_IN_B = 4,
                QC_IN_R4 = 8,
                QC_IN_R5 = 16,
};

struct qc_temp {
    uint8_t classes;      /* enum qc_class bits */
    uint8_t pinned;       /* must not be copied once written */
    uint8_t payload;      /* 1: starts in A15, 2: in B15 */
    uint8_t global;       /* used in more than one block */
    uint8_t kept_in_loop; /* written under a mask and read after the loop: keeps its register throughout the loop */
    uint8_t carried; /* undefined when a loop begins, set in it, read in later iterations: keeps its register */
    uint8_t held;         /* live until the end of block `last`, which branches back to earlier readers */
    uint32_t first, last; /* blocks between which it keeps its register */
    uint32_t def_count, use_count;
    struct qc_instr *def; /* the only writer, NULL when there are several */
};

struct qc_block {
    struct util_list link;
    struct util_list instrs;
    uint32_t index;
    struct qc_block *target; /* target of the branch at its end, NULL: falls through */
    uint8_t branch_cond;     /* enum qpu_branch_cond */
    uint32_t branch_uses;    /* flag group that the branch tests, 0 = unconditional */
    bool is_target;          /* a branch goes here, or the previous block ends with a branch */
    bool has_reset;          /* the block is a target and begins with a uniforms-address reset */
    /* CPU engine: the block is the fixed sequence of kind `imm` (enum vc4c_site_kind). Its sources are address and
     * data, its dst is the result. A second instruction may follow, with the comparand as source and a scratch register
     * as dst. */
    struct qc_instr *sequence;
    struct qc_dag *dag;      /* qc_dag.c */
    uint32_t min_words;      /* minimum number of words that it becomes; set by qc_sched_create */
};

struct qc_dag;

struct qc_loop { /* blocks head to last, last branching back to head */
    struct util_list link;
    struct qc_block *head, *last;
};

struct qc_program {
    struct util_arena *arena;
    struct ir_shader *shader;
    enum vc4c_program_kind kind;
    struct util_list blocks;
    struct util_list loops; /* inner ones first */
    uint32_t block_count;
    struct qc_temp *temps;
    uint32_t temp_count, temp_room;
    struct vc4c_uniform *uniforms; /* uniforms that operations refer to; not in stream order */
    uint32_t uniform_count, uniform_room;
    struct vc4c_lookup *lookups; /* lookups that operations refer to */
    uint32_t lookup_count, lookup_room;
    uint32_t flag_group_count;
    uint32_t request_count;
    uint32_t origin; /* given to operations that are created now */
    bool threaded; /* chosen by qc_threads.c */
    bool in_order; /* instructions keep the order in which the pressure was measured */
    uint8_t registers_less;
    bool uses_tlb;
    uint32_t site_count; /* sequences of the CPU engine */
    uint32_t subgroups;  /* compute: number per workgroup */
    bool has_barriers;
    struct vc4c_error *error;
    jmp_buf *fail; /* qc_fail jumps there */
    enum vc4c_result result;
};

void UTIL_NORETURN qc_fail(struct qc_program *p, enum vc4c_result result, const char *fmt, ...) UTIL_PRINTF(3, 4);

#define qc_for_each_block(it, p)      util_list_for_each(struct qc_block, it, &(p)->blocks, link)
#define qc_for_each_instr(it, block)  util_list_for_each(struct qc_instr, it, &(block)->instrs, link)
#define qc_for_each_instr_safe(it, b) util_list_for_each_safe(struct qc_instr, it, &(b)->instrs, link)

/* ---------------------------------------------------------------- building (qc_build.c) */

uint32_t qc_temp_new(struct qc_program *p, uint8_t classes);
uint32_t qc_uniform_new(struct qc_program *p, struct vc4c_uniform u);
struct qc_block *qc_block_new(struct qc_program *p);
void qc_program_add_loop(struct qc_program *p, struct qc_block *head, struct qc_block *last);
void qc_instr_init(struct qc_instr *i, enum qc_kind kind);
struct qc_instr *qc_instr_new(struct qc_program *p, enum qc_kind kind);
uint32_t qc_flag_group_new(struct qc_program *p);
uint32_t qc_lookup_new(struct qc_program *p, struct vc4c_lookup l);

static inline struct qc_src qc_src_none(void)
{
    return (struct qc_src){.kind = QC_SRC_NONE};
}

static inline struct qc_src qc_src_temp(uint32_t temp)
{
    return (struct qc_src){.kind = QC_SRC_TEMP, .index = temp};
}

static inline struct qc_src qc_src_const(uint32_t word)
{
    return (struct qc_src){.kind = QC_SRC_CONST, .index = word};
}

static inline struct qc_src qc_src_read(uint8_t raddr, uint8_t files)
{
    return (struct qc_src){.kind = QC_SRC_READ, .raddr = raddr, .files = files};
}

static inline bool qc_src_same(struct qc_src a, struct qc_src b)
{
    return a.kind == b.kind && a.unpack == b.unpack && a.raddr == b.raddr && a.files == b.files && a.index == b.index;
}

static inline bool qc_reads(const struct qc_instr *i, uint32_t temp)
{
    return (i->src[0].kind == QC_SRC_TEMP && i->src[0].index == temp) ||
           (i->src[1].kind == QC_SRC_TEMP && i->src[1].index == temp);
}

static inline bool qc_writes(const struct qc_instr *i, uint32_t temp)
{
    return i->dst == temp || i->result == temp;
}

/* A move, on either unit. */
static inline bool qc_is_mov(const struct qc_instr *i)
{
    return i->kind == QC_ALU && i->op_add == QPU_A_OR && i->op_mul == QPU_M_V8MIN && i->src[1].kind == QC_SRC_NONE;
}

/* A word takes at most one such operation. */
static inline bool qc_is_closely_coupled(const struct qc_instr *i)
{
    return i->kind == QC_SIGNAL || qpu_waddr_is_tmu(i->waddr) || qpu_waddr_is_sfu(i->waddr) ||
           (i->waddr >= QPU_W_TLB_Z && i->waddr <= QPU_W_TLB_ALPHA_MASK);
}

/* Overwrites the whole destination: unconditional and not packed. */
static inline bool qc_writes_whole(const struct qc_instr *i)
{
    return i->cond == QPU_COND_ALWAYS && i->pack == 0;
}

void qc_print(FILE *to, const struct qc_program *p);
int qc_print_instr(const struct qc_program *p, const struct qc_instr *i, char *out, size_t size_B);

/* ---------------------------------------------------------------- passes */

/* Selects operations for the IR and puts them into blocks. */
void qc_select(struct qc_program *p);
/* Peepholes inside blocks; needs nothing, leaves the form valid. */
void qc_opt(struct qc_program *p);
/* Removes moves whose source dies there, by merging source and destination. */
void qc_coalesce(struct qc_program *p);
/* Fills temps' counts, def, first, last from their uses. */
void qc_count_uses(struct qc_program *p);
/* Fills temps' counts, def, global, first, last; makes r4 and r5 results local; inserts uniforms-address resets. */
void qc_analyse(struct qc_program *p);
/* True when the operation pops a word of the uniform stream, whatever registers its operands get. */
bool qc_pops_uniform(const struct qc_instr *i);
/* Batches texture requests between thread switches. Returns false when the program cannot have two threads. */
bool qc_insert_switches(struct qc_program *p);
void qc_remove_switches(struct qc_program *p);

#endif
