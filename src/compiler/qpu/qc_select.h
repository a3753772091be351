/* SPDX-License-Identifier: MIT
 *
 * State of instruction selection, shared by qc_select.c (values), qc_select_alu.c (arithmetic), qc_select_flags.c
 * (booleans), qc_select_io.c (inputs, lookups and outputs), qc_select_engine.c (CPU engine) and qc_cfg.c (control
 * flow).
 */
#ifndef QPU_QC_SELECT_H
#define QPU_QC_SELECT_H

#include "compiler/qpu/qc_ir.h"

struct qc_flags {
    uint32_t group; /* 0: none */
    uint8_t cond;   /* enum qpu_cond under which the boolean is true */
};

struct qc_sel {
    struct qc_program *p;
    struct qc_block *block; /* operations are appended to this block */
    uint32_t *temp_of;      /* by IR value: its temporary, or QC_NONE if it has none yet */
    uint32_t *region_of;    /* by IR block: blocks that become one block of the program have the same number */
    uint32_t *serial_of;    /* by temporary: serial number of its last write; see qc_sel_flags */
    uint32_t serial_room, serial;
    struct { /* the boolean whose flags were set last in this block */
        const struct ir_instr *value;
        struct qc_flags flags;
        uint32_t serial;
        uint32_t exec_value; /* or the temporary that was compared with zero; QC_NONE: none */
    } last_flags;
    uint32_t last_tlb_serial;
    struct { /* the clamped offset of the last multi-word access: its other words reuse it */
        const struct ir_instr *offset;
        const struct qc_block *block;
        uint32_t op, ref, span_B, temp;
    } last_clamp;

    /* The execution mask: 0 in lanes that run, else the number of the resume point where the lane continues. QC_NONE:
     * all lanes run. */
    uint32_t exec;
    uint32_t resume_point_count;
    struct qc_sel_loop *loop; /* the innermost loop */

    uint32_t w, z;      /* payload temporaries of fragment programs */
    uint32_t *varyings; /* temporaries by slot, point and line extras first */
    uint32_t extra_varyings;
    uint32_t *rows; /* vertex: temporaries by VPM row */
    uint32_t row_count;
    uint32_t result_rows; /* vertex: rows written so far */
    uint32_t setups_lost; /* CPU engine: VPM write setups of single accesses */
    uint32_t setups;      /* vertex: value of lost_setups() at the last VPM write setup */
    bool uses_direct;
};

/* -- operations -- */
struct qc_instr *qc_sel_emit(struct qc_sel *s, struct qc_instr *i);
/* Emits an operation. If one instruction cannot read both sources, it first copies one of them. */
struct qc_instr *qc_sel_alu(struct qc_sel *s, uint8_t op_add, uint8_t op_mul, uint32_t dst, struct qc_src a,
                            struct qc_src b);
struct qc_instr *qc_sel_mov(struct qc_sel *s, uint32_t dst, struct qc_src a);
/* Appends the block to the program. Operations go to it from now on. */
void qc_sel_append_block(struct qc_sel *s, struct qc_block *b);
/* Creates a move to a peripheral register; the caller emits it. */
struct qc_instr *qc_sel_mov_to(struct qc_sel *s, uint8_t waddr, struct qc_src a);
uint32_t qc_sel_any_temp(struct qc_sel *s);

/* -- values: how the value of an instruction is read -- */
struct qc_src qc_sel_src(struct qc_sel *s, struct ir_instr *def);       /* as a word, unpacked if necessary */
struct qc_src qc_sel_src_float(struct qc_sel *s, struct ir_instr *def); /* for float operations: may be a part */
uint32_t qc_sel_temp(struct qc_sel *s, struct ir_instr *def);           /* in a temporary */
uint32_t qc_sel_src_to_temp(struct qc_sel *s, struct qc_src src);
bool qc_sel_const_bool(const struct ir_instr *def, bool *value_out);
/* Returns flags that represent a boolean, and emits an operation that sets them unless they are still set. `user_srcs`:
 * the other sources of the operations that will read the flags; they must be emitted before. */
struct qc_flags qc_sel_flags(struct qc_sel *s, struct ir_instr *boolean, const struct qc_src *user_srcs,
                             unsigned user_count);
/* Compares a word with zero. The condition holds where it is 0. */
struct qc_flags qc_sel_flags_word(struct qc_sel *s, uint32_t temp);
/* Returns a temporary that is `a` where the boolean is true, else `b`. */
uint32_t qc_sel_choose(struct qc_sel *s, struct ir_instr *boolean, struct qc_src a, struct qc_src b);
void qc_sel_forget_flags(struct qc_sel *s);
/* Flags of a boolean that is true only in running lanes. For a constant, group may be 0 and cond ALWAYS or NEVER. */
struct qc_flags qc_sel_flags_active(struct qc_sel *s, struct ir_instr *boolean);

/* Emits `op_add` of a and b only to set flags. `value`: the boolean that they represent, or NULL. */
struct qc_flags qc_sel_set_flags(struct qc_sel *s, uint8_t op_add, struct qc_src a, struct qc_src b, uint8_t cond,
                                 const struct ir_instr *value);
uint32_t qc_sel_flags_to_word(struct qc_sel *s, struct qc_flags f); /* 0 or 1 */
bool qc_sel_is_free(const struct ir_instr *i);                      /* emitted where it is used */
bool qc_sel_used_in_other_region(struct qc_sel *s, const struct ir_instr *i);

/* -- instructions of the IR -- */
void qc_sel_instr(struct qc_sel *s, struct ir_instr *i);
void qc_sel_start(struct qc_sel *s);                  /* attributes, varyings, payload */
bool qc_sel_io(struct qc_sel *s, struct ir_instr *i); /* false: not an operation of qc_select_io.c */
bool qc_sel_engine(struct qc_sel *s, struct ir_instr *i); /* likewise, qc_select_engine.c */
/* Emits the signal that loads the result of a texture request. */
struct qc_instr *qc_sel_load_result(struct qc_sel *s, unsigned unit, uint32_t request);

static inline bool qc_sel_is_comparison(uint16_t op)
{
    return op >= IR_FEQ && op <= IR_UGE;
}

static inline uint8_t qc_cond_not(uint8_t cond)
{
    return cond >= QPU_COND_ZS ? cond ^ 1 : cond;
}

#endif
