/* SPDX-License-Identifier: MIT
 *
 * The local rules of ir_opt_algebraic as a table, so that a test can apply each rule alone and in each phase.
 */
#ifndef IR_RULES_H
#define IR_RULES_H

#include "compiler/ir/ir_pass.h"

/* An operation and its sources. Rules look at `instr` and at the operations that define its sources. */
struct ir_match {
    struct ir_builder *b;
    const struct ir_instr *instr;
    struct ir_instr *x, *y, *z; /* sources, NULL if there are fewer; a constant source of a commutative operation is
                                 * y */
};

/* The phases of a shader (shader->lowered) in which a rule may be used. A rule that makes a high-level operation, or
 * matches only high-level operations, is for IR_RULE_HIGH alone. */
enum ir_rule_phase { IR_RULE_HIGH = 1, IR_RULE_LOW = 2, IR_RULE_ANY = IR_RULE_HIGH | IR_RULE_LOW };

struct ir_rule {
    uint8_t op;      /* enum ir_op: the operation that the rule replaces */
    uint8_t phases;  /* enum ir_rule_phase */
    const char *name;
    struct ir_instr *(*apply)(const struct ir_match *m); /* returns an equal value, or NULL */
};

/* The rules of one operation are adjacent, in the order in which they are tried. */
extern const struct ir_rule ir_rules[];
extern const uint32_t ir_rule_count;

/* Applies the given rules once to each instruction. */
bool ir_apply_rules(struct ir_shader *shader, const struct ir_rule *rules, uint32_t count);

#endif
