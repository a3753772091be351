/* SPDX-License-Identifier: MIT
 *
 * Tests passes by text before and text after. Both sides are parsed, renumbered and printed, so spacing and value
 * numbers do not matter. The validator runs after every pass.
 */
#ifndef PASS_TEXT_H
#define PASS_TEXT_H

#include "compiler/lower/lower.h"

struct pass_case {
    const char *before, *after; /* after: NULL if the pass must not change anything */
};

/* Parses a whole shader, or the body of a fragment shader without its last '}': either instructions only, or
 * declarations, '{' and instructions. */
struct ir_shader *pass_parse(struct util_arena *arena, const char *text);
/* Freed by the caller. */
char *pass_print(struct ir_shader *shader);

/* `pass` returns whether it changed something; if so, dead values are removed afterwards. `is_order_free`: ignores the
 * order of values in a block, which may depend on the C compiler's order of evaluating arguments. */
void pass_check(const struct pass_case *cases, size_t count, bool is_order_free,
                bool (*pass)(struct ir_shader *shader));
#define PASS_CHECK(cases, pass)       pass_check(cases, ARRAY_SIZE(cases), false, pass)
#define PASS_CHECK_VALUES(cases, pass) pass_check(cases, ARRAY_SIZE(cases), true, pass)

#endif
