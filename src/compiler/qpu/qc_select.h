/* SPDX-License-Identifier: MIT
 *
 * State of the selection, shared by its files: qc_select.c (values), qc_select_alu.c (arithmetic), qc_select_flags.c
 * (booleans), qc_select_io.c (what enters and leaves the program), qc_cfg.c (control flow).
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
    struct qc_block *block; /* where operations go: at its end */
    uint32_t *temp_of;      /* by IR value: its temporary, or QC_NONE while there is none */
    uint32_t *region_of;    /* by IR block: blocks that become one block of the program have the same number */
    uint32_t *serial_of;    /* by temporary: when it was last written; see qc_sel_flags */
    uint32_t serial_room, serial;
    struct { /* the boolean whose flags were set last in this block */
        const struct ir_instr *value;
        struct qc_flags flags;
        uint32_t serial;
        uint32_t exec_value; /* not a boolean but this temporary against zero; QC_NONE else */
    } last_flags;
    uint32_t last_tlb_serial;
    struct { /* the clamped offset of the wider access that was read last: its other words share it */
        const struct ir_instr *offset;
        const struct qc_block *block;
        uint32_t ref, span_B, temp;
    } last_clamp;

    /* The execution mask: 0 in the lanes that run, else the number of the place where the lane goes on. QC_NONE:
     * all lanes run. */
    uint32_t exec;
    uint32_t place_count;
    struct qc_sel_loop *loop; /* the innermost loop */

    uint32_t w, z;      /* payload temporaries of fragment programs */
    uint32_t *varyings; /* temporaries by slot, point and line extras first */
    uint32_t extra_varyings;
    uint32_t *rows; /* vertex: temporaries by VPM row */
    uint32_t row_count;
    uint32_t result_rows, setup_sites; /* vertex: rows written, sequences in front of the last setup */
    bool uses_direct;
};

/* -- operations -- */
struct qc_instr *qc_sel_emit(struct qc_sel *s, struct qc_instr *i);
/* Makes both sources fit for one instruction, then emits; the result is i->dst. */
struct qc_instr *qc_sel_alu(struct qc_sel *s, uint8_t op_add, uint8_t op_mul, uint32_t dst, struct qc_src a,
                            struct qc_src b);
struct qc_instr *qc_sel_mov(struct qc_sel *s, uint32_t dst, struct qc_src a);
/* Operations go to this block from now on. */
void qc_sel_place_block(struct qc_sel *s, struct qc_block *b);
/* To a peripheral register. */
struct qc_instr *qc_sel_mov_to(struct qc_sel *s, uint8_t waddr, struct qc_src a);
uint32_t qc_sel_any_temp(struct qc_sel *s);

/* -- values -- */
struct qc_src qc_sel_src(struct qc_sel *s, struct ir_instr *def);       /* a word, unpacked where it must be */
struct qc_src qc_sel_src_float(struct qc_sel *s, struct ir_instr *def); /* for a float operation: may be a part */
uint32_t qc_sel_temp(struct qc_sel *s, struct ir_instr *def);           /* in a temporary */
uint32_t qc_sel_src_to_temp(struct qc_sel *s, struct qc_src src);
bool qc_sel_const_bool(const struct ir_instr *def, bool *value_out);
/* The flags in which a boolean shows; sets them unless they still stand. `user_a`, `user_b`: what the reader of the
 * flags reads besides them (must be made before). */
struct qc_flags qc_sel_flags(struct qc_sel *s, struct ir_instr *boolean, const struct qc_src *user_srcs,
                             unsigned user_count);
/* Flags of a word against zero: Z set where it is 0. */
struct qc_flags qc_sel_flags_word(struct qc_sel *s, uint32_t temp);
/* A temporary that is `a` where the boolean holds, else `b`. */
uint32_t qc_sel_choose(struct qc_sel *s, struct ir_instr *boolean, struct qc_src a, struct qc_src b);
void qc_sel_forget_flags(struct qc_sel *s);
/* A lane-wise condition that also asks for the lane to be running. group 0 with cond ALWAYS when all lanes do. */
struct qc_flags qc_sel_flags_active(struct qc_sel *s, struct ir_instr *boolean);

/* `op_add` of a and b for its flags alone; `value`: the boolean that they show, or NULL. */
struct qc_flags qc_sel_set_flags(struct qc_sel *s, uint8_t op_add, struct qc_src a, struct qc_src b, uint8_t cond,
                                 const struct ir_instr *value);
uint32_t qc_sel_flags_to_word(struct qc_sel *s, struct qc_flags f); /* 0 or 1 */
bool qc_sel_is_free(const struct ir_instr *i);                      /* made where it is used */
bool qc_sel_used_in_other_region(struct qc_sel *s, const struct ir_instr *i);

/* -- instructions of the IR -- */
void qc_sel_instr(struct qc_sel *s, struct ir_instr *i);
void qc_sel_start(struct qc_sel *s);                  /* attributes, varyings, payload */
bool qc_sel_io(struct qc_sel *s, struct ir_instr *i); /* false: not an operation of qc_select_io.c */
bool qc_sel_engine(struct qc_sel *s, struct ir_instr *i); /* likewise, qc_select_engine.c */
/* Takes the result of a texture request. */
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
