/* SPDX-License-Identifier: MIT
 *
 * What a fragment program leaves at its end: tests first (lower_fs_tests.c), then the colour (lower_fs_color.c).
 */
#ifndef LOWER_FS_OUTPUTS_H
#define LOWER_FS_OUTPUTS_H

#include "compiler/lower/lower_samples.h"

#define IR_COLOR_LOCATIONS 8

/* What the shader has written; NULL: nothing. */
struct ir_fs_outputs {
    struct ir_instr *colors[IR_COLOR_LOCATIONS][4], *second[4], *depth, *sample_mask, *clip_distances[8];
    struct ir_instr *color[4]; /* of the target that is written, with `second` */
    struct ir_instr *coverage_alpha; /* of location 0, whatever is written */
    bool discards, clips;
};

/* -- coverage, stencil, depth ------------------------------------------------------------------------------------- */

bool ir_changes_coverage(const struct vc4c_fragment_key *key, const struct ir_fs_outputs *o);
/* Coverage without what is clipped away: a distance that is a varying can be had at the start, too. Whether all are. */
bool ir_clip_first(struct ir_builder *b, const struct vc4c_fragment_key *key, struct ir_fs_outputs *o);
/* Takes from the outputs what the shader makes of the coverage: flags of samples, or NULL. */
struct ir_instr *ir_late_coverage(struct ir_builder *b, const struct vc4c_fragment_key *key, struct ir_fs_outputs *o);
void ir_write_coverage(struct ir_builder *b, const struct vc4c_fragment_key *key, const struct ir_fs_outputs *o);
/* Stencil words and Z, of the lanes that are alive. */
void ir_write_depth(struct ir_builder *b, const struct vc4c_fragment_key *key, const struct ir_fs_outputs *o,
                    struct ir_instr *alive);

/* -- colour ------------------------------------------------------------------------------------------------------- */

/* Whether the key leaves anything of the word to be written. */
bool ir_writes_color(const struct vc4c_fragment_key *key);
bool ir_needs_old_color(const struct vc4c_fragment_key *key);
/* The new word of one sample, from the shader's colour and the old word (NULL when it is not needed). */
struct ir_instr *ir_color_word(struct ir_builder *b, const struct vc4c_fragment_key *key, const struct ir_fs_outputs *o,
                               struct ir_instr *old);

#endif
