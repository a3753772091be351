/* SPDX-License-Identifier: MIT
 *
 * An evaluator of the IR for tests: 16 lanes, every operation, high level and low. Plain C arithmetic of its own,
 * neither the constant folder's nor the model's.
 */
#ifndef IR_EVAL_H
#define IR_EVAL_H

#include "compiler/ir/ir.h"

#define EVAL_LANES     16
#define EVAL_LOCATIONS 8

struct eval {
    const uint32_t *push, *buffer; /* words; one buffer for all */
    uint32_t push_words, buffer_words;
    uint32_t dead_lanes; /* mask: of a vertex program, lanes whose place says that they have no vertex */
    uint32_t (*input)(uint32_t location, uint32_t component, uint32_t lane);
    uint32_t (*builtin)(uint32_t builtin, uint32_t component, uint32_t lane);
    /* results */
    uint32_t out[EVAL_LOCATIONS][4][EVAL_LANES];
    uint32_t vpm[64][EVAL_LANES], vpm_rows;
    uint32_t color[EVAL_LANES], z[EVAL_LANES];
    bool color_written[EVAL_LANES], z_written[EVAL_LANES], discarded[EVAL_LANES];
    uint8_t uncovered[EVAL_LANES]; /* samples that the shader masks away */
    const char *trouble; /* what it could not evaluate, NULL = all well */
};

/* Runs until the end, or until `max_steps` instructions have run. */
void eval_run(struct eval *e, struct ir_shader *shader, uint32_t max_steps);

#endif
