/* SPDX-License-Identifier: MIT
 *
 * Random programs as trees of statements: made and executed by fuzz_tree.c, written down as modules by fuzz_module.c.
 */
#ifndef FUZZ_SPIRV_H
#define FUZZ_SPIRV_H

#include "ir_eval.h"

enum expr_kind { E_CONST, E_PUSH, E_INPUT, E_VAR, E_ELEMENT, E_BINARY, E_UNARY, E_SELECT, E_FLOAT };
enum stmt_kind { S_ASSIGN, S_STORE, S_IF, S_LOOP, S_SWITCH, S_RETURN };

enum { VARS = 5, ELEMENTS = 4, MAX_NODES = 600, CASES = 3 };

struct expr {
    enum expr_kind kind;
    uint32_t value; /* constant; word; variable; operation: row of fuzz_binaries or fuzz_unaries or enum float_op */
    struct expr *a, *b, *c;
};

struct stmt {
    enum stmt_kind kind;
    uint32_t variable, count; /* loops: trips; switches: the cases are 0 to 2, the last one default */
    bool falls_through[CASES];
    struct expr *value, *index, *leave; /* leave: of a loop */
    bool leave_is_continue;
    struct stmt *body[CASES]; /* lists */
    struct stmt *next;
};

/* Comparisons give 0 or 1 through OpSelect. */
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
};

uint32_t fuzz_rnd(struct gen *g, uint32_t n);
struct stmt *fuzz_random_list(struct gen *g, unsigned depth, bool in_loop);

/* What the program gives: its first four variables, the last with the elements added in. */
void fuzz_execute(const struct stmt *list, const uint32_t *push, uint32_t out[4][EVAL_LANES]);

#define MAX_WORDS 60000

struct module {
    uint32_t words[MAX_WORDS], count, next_id;
    uint32_t constants[2000], constant_ids[2000], constant_count; /* declared behind the types */
};

void fuzz_write_module(struct module *m, const struct stmt *list);

#endif
