/* SPDX-License-Identifier: MIT
 *
 * An IR evaluator for tests: runs a shader on 16 lanes, with all high-level and low-level operations. It has its own
 * plain C arithmetic, independent of the constant folder's and the model's.
 */
#ifndef IR_EVAL_H
#define IR_EVAL_H

#include "compiler/ir/ir.h"

#define EVAL_LANES     16
#define EVAL_LOCATIONS 8

struct eval {
    /* What the evaluator does not know itself: operations of a lane (s: the sources), uniform words, barriers. NULL:
     * such a program is trouble. */
    bool (*engine_op)(struct eval *e, const struct ir_instr *i, uint32_t lane, const uint32_t s[3], uint32_t *out);
    bool (*engine_uniform)(const struct eval *e, const struct vc4c_uniform *u, uint32_t *out);
    void (*barrier)(struct eval *e);
    void *engine;                  /* for these */
    const uint32_t *push, *buffer; /* words; one buffer for all */
    uint32_t push_words, buffer_words;
    uint32_t dead_lanes; /* vertex programs: mask of the lanes without a vertex */
    uint32_t (*input)(uint32_t location, uint32_t component, uint32_t lane);
    uint32_t (*builtin)(uint32_t builtin, uint32_t component, uint32_t lane);
    /* results */
    uint32_t out[EVAL_LOCATIONS][4][EVAL_LANES];
    uint32_t vpm[64][EVAL_LANES], vpm_rows;
    uint32_t color[EVAL_LANES], z[EVAL_LANES];
    bool color_written[EVAL_LANES], z_written[EVAL_LANES], discarded[EVAL_LANES];
    uint8_t uncovered[EVAL_LANES]; /* samples that the shader masks away */
    const char *trouble; /* the unsupported operation or other error that stopped the run; NULL: success */
};

/* Runs the shader to its end, or fails after `max_steps` instructions. */
void eval_run(struct eval *e, struct ir_shader *shader, uint32_t max_steps);

#endif
