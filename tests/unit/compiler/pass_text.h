/* SPDX-License-Identifier: MIT
 *
 * Tests of passes: text before, text after. Both sides are read, renumbered and printed, so spacing and numbers do not
 * matter. The validator runs behind every pass.
 */
#ifndef PASS_TEXT_H
#define PASS_TEXT_H

#include "compiler/lower/lower.h"

struct pass_case {
    const char *before, *after; /* after: NULL where the pass changes nothing */
};

/* A whole shader, or the body of a fragment shader: instructions, or rows and what follows '{' (without the last '}').
 */
struct ir_shader *pass_parse(struct util_arena *arena, const char *text);
/* Freed by the caller. */
char *pass_print(struct ir_shader *shader);

/* `pass` says whether it changed something; then dead values are removed behind it. `is_order_free`: the order of
 * values in a block, which follows that of a call's arguments in C, does not count. */
void pass_check(const struct pass_case *cases, size_t count, bool is_order_free,
                bool (*pass)(struct ir_shader *shader));
#define PASS_CHECK(cases, pass)       pass_check(cases, ARRAY_SIZE(cases), false, pass)
#define PASS_CHECK_VALUES(cases, pass) pass_check(cases, ARRAY_SIZE(cases), true, pass)

#endif
