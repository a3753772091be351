/* SPDX-License-Identifier: MIT
 *
 * Fragment programs and the samples of a pixel: where they lie, which of them are covered, and what inputs are there.
 */
#ifndef LOWER_SAMPLES_H
#define LOWER_SAMPLES_H

#include "compiler/lower/lower.h"

/* Something that is linear on the screen, at the centre, with its steps to the next pixel. */
struct ir_plane {
    struct ir_instr *value, *ddx, *ddy; /* NULL: not asked for so far */
};

/* The planes of a program's inputs. They are made at its start, where whole quads run. */
struct ir_interpolator {
    struct ir_shader *shader;
    const struct vc4c_fragment_key *key;
    struct ir_instr *anchor; /* code goes in front of it */
    struct ir_plane slots[VC4C_MAX_SLOTS], rcp_w;
    struct ir_instr *covered, *centroid[2];
};

void ir_interpolator_begin(struct ir_interpolator *in, struct ir_shader *shader, const struct vc4c_fragment_key *key);
void ir_interpolator_end(struct ir_interpolator *in);

/* An input, x and y pixels off the centre; flat ones are the same everywhere. */
struct ir_instr *ir_input_at(struct ir_interpolator *in, struct ir_builder *b, uint32_t slot, struct ir_instr *x,
                             struct ir_instr *y);
/* Of the centre, or of a covered sample where the centre may not be; axis 0 x, 1 y. */
struct ir_instr *ir_centroid_offset(struct ir_interpolator *in, uint32_t axis);
/* Of a sample, by its number. */
struct ir_instr *ir_sample_offset(struct ir_builder *b, const struct vc4c_fragment_key *key, struct ir_instr *sample,
                                  uint32_t axis);
/* Of the sample that is shaded: 0 where pixels are. */
struct ir_instr *ir_shaded_offset(struct ir_builder *b, const struct vc4c_fragment_key *key, uint32_t axis);

/* What the invocation covers, without what the pipeline's mask leaves out. */
struct ir_instr *ir_coverage(struct ir_builder *b, const struct vc4c_fragment_key *key);

#endif
