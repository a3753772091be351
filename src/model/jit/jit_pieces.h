/* SPDX-License-Identifier: MIT
 *
 * Runs a long program whose pieces (jit_plan.h) are compiled one by one: from piece to piece, in host code where there
 * is some, else interpreted. Part of the driver.
 */
#ifndef JIT_PIECES_H
#define JIT_PIECES_H

#include <stdatomic.h>
#include "model/jit/jit_plan.h"

struct jit_pieces {
    struct jit_plan plan;
    _Atomic(jit_fn) *code; /* of each piece; NULL: none yet */
    /* Called when a piece without code is entered. Returns its code, or NULL: interpret it. May compile it. NULL:
     * always interpret it. */
    jit_fn (*get_missing)(void *owner, uint32_t piece, struct gpu_qpu_core *core);
    void *owner;
};

/* Makes the plan of a program. False with a static message: the program must be interpreted. */
bool jit_pieces_init(struct jit_pieces *pieces, const struct jit_source *source, const char **message_out);
void jit_pieces_finish(struct jit_pieces *pieces); /* accepts a zeroed struct */

/* Host code of the program core->pieces as a whole. A user program needs its first piece. */
uint32_t jit_pieces_run(struct gpu_qpu_core *core, uint32_t point);

#endif
