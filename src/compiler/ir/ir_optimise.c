/* SPDX-License-Identifier: MIT
 *
 * Runs the optimisation passes in order, and validates or prints the shader after each pass.
 */
#include <stdlib.h>
#include "compiler/ir/ir_pass.h"
#include "util/debug.h"
#include "util/log.h"

void ir_pass_done(struct ir_shader *shader, const char *pass, bool changed)
{
    if (!changed)
        return;
    const char *message = util_debug(UTIL_DEBUG_VALIDATE) ? ir_validate(shader, false) : NULL;
    if (message) {
        ir_print(stderr, shader);
        util_error("after %s: %s", pass, message);
        abort(); /* a bug in the pass */
    }
    if (util_debug(UTIL_DEBUG_IR)) {
        ir_renumber(shader);
        fprintf(stderr, "; after %s\n", pass);
        ir_print(stderr, shader);
    }
}

#define MAX_ROUNDS 12

#define PASS(pass)                                                                                                     \
    do {                                                                                                               \
        bool pass##_changed = pass(shader);                                                                            \
        ir_pass_done(shader, #pass, pass##_changed);                                                                   \
        changed |= pass##_changed;                                                                                     \
    } while (0)

void ir_optimise(struct ir_shader *shader)
{
    bool changed = true;
    PASS(ir_opt_vars); /* first: no other pass looks through variables */
    if (util_debug(UTIL_DEBUG_PLAIN))
        return;
    for (uint32_t round = 0; changed && round < MAX_ROUNDS; round++) {
        changed = false;
        PASS(ir_opt_copy);     /* phis with a single value */
        PASS(ir_opt_constant); /* may make conditions constant */
        PASS(ir_opt_algebraic);
        PASS(ir_opt_dce);      /* before CSE and if conversion, whose decisions depend on dead code */
        PASS(ir_opt_cse);
        PASS(ir_opt_known_conditions);    /* conditions that an enclosing if has decided */
        PASS(ir_opt_dead_cf);  /* uses the conditions that have become constant */
        PASS(ir_opt_unroll);
        PASS(ir_opt_if);       /* makes SELs, which the algebraic rules of the next round simplify */
    }
    PASS(ir_opt_dce);
}
