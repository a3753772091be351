/* SPDX-License-Identifier: MIT
 *
 * Saves the whole state of a program to the core where host code is left for the interpreter or another piece.
 */
#include "model/jit/jit_emit.h"

static void save_byte(struct jit_emitter *e, unsigned number, size_t offset_B)
{
    jit_store_number(e, e->t.i8, number, offset_B);
}

/* The numbers of a texture unit's port. The first result is in its first slot. */
static void save_port(struct jit_emitter *e, const struct jit_tmu *tmu, unsigned unit)
{
    const size_t port = offsetof(struct gpu_qpu_core, tmu_port) + unit * sizeof(struct gpu_tmu_port);
    const size_t request = port + offsetof(struct gpu_tmu_port, request);
    static const size_t parameters[4] = {offsetof(struct gpu_tmu_request, s), offsetof(struct gpu_tmu_request, t),
                                         offsetof(struct gpu_tmu_request, r), offsetof(struct gpu_tmu_request, b)};
    unsigned outstanding = 0;

    for (unsigned n = 0; n < tmu->count; n++) {
        outstanding += tmu->params[n];
        save_byte(e, tmu->params[n], port + offsetof(struct gpu_tmu_port, params) + n);
    }
    jit_store_number(e, e->t.i32, outstanding, port + offsetof(struct gpu_tmu_port, outstanding_params));
    jit_store_number(e, e->t.i32, 0, port + offsetof(struct gpu_tmu_port, head));
    jit_store_number(e, e->t.i32, tmu->count, port + offsetof(struct gpu_tmu_port, count));
    jit_store_number(e, e->t.i32, tmu->configs, request + offsetof(struct gpu_tmu_request, configs));
    for (unsigned n = 0; n < 4 && tmu->configs; n++) {
        if (!(tmu->written >> n & 1))
            LLVMSetAlignment(LLVMBuildStore(e->b, jit_splat(e, 0), jit_field(e, e->core, request + parameters[n])), 64);
    }
}

void jit_save_point(struct jit_emitter *e, const struct jit_point *point)
{
    jit_save_state(e, &e->program->ops[point->pc].live, point->sfu_delay);
    jit_save_streams(e);
    jit_tmu_save(e, point->tmu);
    for (unsigned n = 0; n < 2; n++) {
        save_port(e, &point->tmu[n], n);
        save_byte(e, point->fresh[n], offsetof(struct gpu_qpu_core, fresh_write) + n);
    }
    jit_store_number(e, e->t.i32, point->pc, offsetof(struct gpu_qpu_core, pc));
    save_byte(e, 0, offsetof(struct gpu_qpu_core, branch_delay));
    save_byte(e, point->sfu_delay, offsetof(struct gpu_qpu_core, sfu_delay));
    save_byte(e, point->switch_delay, offsetof(struct gpu_qpu_core, switch_delay));
    save_byte(e, point->end_delay, offsetof(struct gpu_qpu_core, end_delay));
}
