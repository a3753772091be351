/* SPDX-License-Identifier: MIT
 *
 * Random programs as trees of statements. fuzz_tree.c generates and executes them, fuzz_module.c writes them as SPIR-V
 * modules, fuzz_ssa.c and fuzz_order.c transform the modules.
 */
#ifndef FUZZ_SPIRV_H
#define FUZZ_SPIRV_H

#include "ir_eval.h"

enum expr_kind { E_CONST, E_PUSH, E_INPUT, E_VAR, E_ELEMENT, E_BINARY, E_UNARY, E_SELECT, E_FLOAT, E_WIDE };
enum stmt_kind { S_ASSIGN, S_STORE, S_IF, S_LOOP, S_SWITCH, S_RETURN, S_BREAK, S_CONTINUE };

enum { VARS = 5, ELEMENTS = 4, MAX_NODES = 600, CASES = 5, SELECTORS = 8 };

struct expr {
    enum expr_kind kind;
    uint32_t value; /* constant, push word, variable, row of fuzz_binaries or fuzz_unaries, or enum float_op. E_WIDE:
                     * row of fuzz_binaries, on the 64-bit integers with the words a, c and with b, whose sign is
                     * extended; the result is the XOR of its words */
    struct expr *a, *b, *c;
};

/* How a case of a switch ends. */
enum fall { FALL_NOT, FALL_ALWAYS, FALL_IF };

struct stmt {
    enum stmt_kind kind;
    uint32_t variable;
    struct expr *value; /* S_RETURN, S_BREAK, S_CONTINUE: the condition; NULL: unconditional, the last in its list */
    struct expr *index;
    bool is_bare;       /* S_BREAK, S_CONTINUE: a conditional branch without OpSelectionMerge */
    struct stmt *body[CASES]; /* lists */
    struct stmt *next;
    struct {            /* S_LOOP: { body[0]; if (leave) break or continue; body[1] } */
        uint32_t count; /* upper limit of the number of iterations */
        struct expr *trips; /* a second limit, modulo 8; NULL: none */
        struct expr *leave;
        bool leave_is_continue, tests_last;
        bool is_exact;  /* exactly `trips` iterations, the lane number: with any other value the loop never ends */
    } loop;
    struct {            /* S_SWITCH on value modulo 8 */
        uint32_t count; /* of cases, in fall-through order */
        uint8_t values[CASES]; /* bit mask of the values that select the case */
        uint32_t default_at; /* the case that is also the default; CASES: there is no default */
        enum fall falls[CASES];
        struct expr *fall_if[CASES];
    } cases;
};

/* OpSelect turns the result of a comparison into 0 or 1. */
enum binary_kind { PLAIN, DIVISION, SHIFT, COMPARISON };
struct binary {
    uint32_t op;
    enum binary_kind kind;
};
extern const struct binary fuzz_binaries[];
extern const uint32_t fuzz_unaries[];
enum float_op { F_ADD, F_SUB, F_MUL, F_LESS, F_OPS };

struct gen {
    uint64_t state;
    unsigned nodes;
    struct expr exprs[MAX_NODES];
    struct stmt stmts[MAX_NODES];
    unsigned expr_count, stmt_count;
    bool has_exact_loop;
    bool has_wide;           /* may contain E_WIDE */
    bool in_loop, in_switch; /* around the statement being generated: break is allowed, in loops continue too */
};

uint32_t fuzz_rnd(struct gen *g, uint32_t n);
struct stmt *fuzz_random_list(struct gen *g, unsigned depth);

/* Runs the program. The results are its first four variables; the XOR of the array elements is added to the last. */
void fuzz_execute(const struct stmt *list, const uint32_t *push, uint32_t out[4][EVAL_LANES]);

#define MAX_WORDS 60000

struct module {
    uint32_t words[MAX_WORDS], count, next_id;
    uint32_t constants[2000], constant_ids[2000], constant_count; /* declared after the types */
};

/* `model`: SpvExecutionModelFragment or SpvExecutionModelVertex. */
void fuzz_write_module(struct module *m, const struct stmt *list, uint32_t model);

/* The ids of the program's variables, consecutive, and of their type. */
extern const uint32_t fuzz_first_variable, fuzz_uint_type;

/* Replaces the program's variables by values and phis (fuzz_ssa.c). */
void fuzz_to_ssa(struct module *m);

/* ---------------------------------------------------------------- the order of blocks (fuzz_order.c) */

#define MAX_BLOCKS 1024

/* The blocks of a function. Any order in which each block comes after its dominators is legal. */
struct blocks {
    uint32_t first, end;  /* word offsets of the first label and of OpFunctionEnd */
    uint32_t count;
    struct {
        uint32_t at, size, label;
    } blocks[MAX_BLOCKS];
    uint64_t preds[MAX_BLOCKS][MAX_BLOCKS / 64], dominators[MAX_BLOCKS][MAX_BLOCKS / 64];
};

/* Finds the first function at or after word `at`; false: there is none, or it has too many blocks. */
bool fuzz_find_blocks(const struct module *m, uint32_t at, struct blocks *out);
/* May block `b` come next, after the blocks that are placed? */
bool fuzz_may_follow(const struct blocks *l, const bool *is_placed, uint32_t b);
/* Puts the blocks of the function into this order. */
void fuzz_reorder(struct module *m, const struct blocks *l, const uint32_t *order);
/* Puts the blocks of every function into a random order. */
void fuzz_shuffle_blocks(struct module *m, struct gen *g);

#endif
