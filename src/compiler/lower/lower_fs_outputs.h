/* SPDX-License-Identifier: MIT
 *
 * What a fragment program writes at its end: tests first (lower_fs_tests.c), then the colour (lower_fs_color.c).
 */
#ifndef LOWER_FS_OUTPUTS_H
#define LOWER_FS_OUTPUTS_H

#include "compiler/lower/lower_samples.h"

#define IR_COLOR_LOCATIONS 8

/* The outputs that the shader writes; NULL: not written. */
struct ir_fs_outputs {
    struct ir_instr *colors[IR_COLOR_LOCATIONS][4], *second[4], *depth, *stencil_reference, *sample_mask;
    struct ir_instr *clip_distances[8];
    struct ir_instr *color[4]; /* colour of the target being written; `second` is its second source */
    struct ir_instr *old_alpha;      /* alpha_apart: the target's old word of alpha */
    struct ir_instr *coverage_alpha; /* alpha of location 0, whichever target is written */
    bool discards, clips; /* clips: coverage is removed, by clip distances, stipples or since another target is drawn */
};

/* -- coverage, stencil, depth ------------------------------------------------------------------------------------- */

bool ir_changes_coverage(const struct vc4c_fragment_key *key, const struct ir_fs_outputs *o);
/* Removes clipped samples from the coverage, for clip distances that are plain varyings: those can be read at the start
 * of the program. Returns whether all distances are. */
bool ir_clip_early(struct ir_builder *b, const struct vc4c_fragment_key *key, struct ir_fs_outputs *o);
/* Removes the sample mask and coverage alpha from the outputs. Returns them as flags of samples, or NULL if there are
 * none. */
struct ir_instr *ir_late_coverage(struct ir_builder *b, const struct vc4c_fragment_key *key, struct ir_fs_outputs *o);
void ir_write_coverage(struct ir_builder *b, const struct vc4c_fragment_key *key, const struct ir_fs_outputs *o);
/* Writes stencil words, and Z for the lanes in `alive`. */
void ir_write_depth(struct ir_builder *b, const struct vc4c_fragment_key *key, const struct ir_fs_outputs *o,
                    struct ir_instr *alive);

/* -- colour ------------------------------------------------------------------------------------------------------- */

/* Whether the key lets the program change any bit of the word. */
bool ir_writes_color(const struct vc4c_fragment_key *key);
bool ir_needs_old_color(const struct vc4c_fragment_key *key);
/* The new word of one sample, from the shader's colour and the old word (NULL when it is not needed). */
struct ir_instr *ir_color_word(struct ir_builder *b, const struct vc4c_fragment_key *key, const struct ir_fs_outputs *o,
                               struct ir_instr *old);

#endif
