/* SPDX-License-Identifier: MIT
 *
 * The samples of a pixel in fragment programs: their positions, their coverage, and inputs interpolated at them.
 */
#ifndef LOWER_SAMPLES_H
#define LOWER_SAMPLES_H

#include "compiler/lower/lower.h"

/* A value that is linear on the screen: at the pixel centre, with its derivatives. */
struct ir_plane {
    struct ir_instr *value, *ddx, *ddy; /* NULL: not computed yet */
};

/* The planes of a program's inputs. They are computed at its start, where all lanes of a quad are active. */
struct ir_interpolator {
    struct ir_shader *shader;
    const struct vc4c_fragment_key *key;
    struct ir_instr *anchor; /* code is inserted before it */
    struct ir_plane slots[VC4C_MAX_SLOTS], rcp_w;
    struct ir_instr *covered, *centroid[2];
};

void ir_interpolator_begin(struct ir_interpolator *in, struct ir_shader *shader, const struct vc4c_fragment_key *key);
void ir_interpolator_end(struct ir_interpolator *in);

/* An input at an offset of x and y pixels from the centre. Flat inputs are constant. */
struct ir_instr *ir_input_at(struct ir_interpolator *in, struct ir_builder *b, uint32_t slot, struct ir_instr *x,
                             struct ir_instr *y);
/* The functions below return offsets from the pixel centre, for axis 0 (x) or 1 (y). */
/* Offset of the centroid: 0, or that of a covered sample when the centre may not be covered. */
struct ir_instr *ir_centroid_offset(struct ir_interpolator *in, uint32_t axis);
/* Offset of sample number `sample`. */
struct ir_instr *ir_sample_offset(struct ir_builder *b, const struct vc4c_fragment_key *key, struct ir_instr *sample,
                                  uint32_t axis);
/* Offset of the shaded sample; 0 without sample shading. */
struct ir_instr *ir_shaded_offset(struct ir_builder *b, const struct vc4c_fragment_key *key, uint32_t axis);

/* Flags of the samples that the invocation covers and that the pipeline's sample mask includes. */
struct ir_instr *ir_coverage(struct ir_builder *b, const struct vc4c_fragment_key *key);

#endif
