/* SPDX-License-Identifier: MIT
 *
 * Atomic operations of the CPU engine's programs, for all lanes at once. Host code calls this instead of a loop of
 * sixteen rounds that the shader compiler emits (src/compiler/qpu/qc_engine.c). In round n of that loop, the word at
 * lane n's address is loaded to column n of one VPM row. New words for all lanes are computed from that row into
 * another row, and column n of it is stored back. What the other lanes hold during a round is never observed, so here a
 * round does the work of one lane only. At the end both rows must be as the last round leaves them.
 */
#include <string.h>
#include "model/gpu/gpu_qpu_state.h"

#define SIGN 0x80000000u

/* Processes the lanes in order, because several lanes may have the same address. */
#define EACH_LANE(expression)                                                                                          \
    for (unsigned l = 0; l < QPU_LANES; l++) {                                                                         \
        uint8_t *at = gpu_vpm_dma_word(core, lanes->addr.u[l]);                                                        \
        uint32_t now = 0, data = lanes->data.u[l];                                                                     \
        if (at)                                                                                                        \
            memcpy(&now, at, 4);                                                                                       \
        old->u[l] = now;                                                                                               \
        new->u[l] = now = (expression);                                                                                \
        if (at)                                                                                                        \
            memcpy(at, &now, 4);                                                                                       \
        else                                                                                                           \
            gpu_vpm_dma_word(core, lanes->addr.u[l]); /* the store is unmapped, too: counts it */                      \
    }

/* The result of the add unit, except where the old word's magnitude is above that of `limit`: there a sum keeps the old
 * word, and a minimum or maximum takes the data. */
static uint32_t of_floats(unsigned op, uint32_t now, uint32_t data, uint32_t limit)
{
    union gpu_vec a, b, out;
    if ((now & ~SIGN) > (limit & ~SIGN))
        return op == QPU_A_FADD ? now : data;
    gpu_vec_splat(&a, now);
    gpu_vec_splat(&b, data);
    gpu_add_fn(op)(&a, &b, &out);
    return out.u[0];
}

static void each_lane(struct gpu_qpu_core *core, enum gpu_atomic what, const struct gpu_atomic_lanes *lanes,
                      union gpu_vec *old, union gpu_vec *new)
{
    switch (what) {
    case GPU_ATOMIC_ADD:
        EACH_LANE(now + data)
        break;
    case GPU_ATOMIC_SUB:
        EACH_LANE(now - data)
        break;
    case GPU_ATOMIC_IMIN:
        EACH_LANE((int32_t)now < (int32_t)data ? now : data)
        break;
    case GPU_ATOMIC_IMAX:
        EACH_LANE((int32_t)now > (int32_t)data ? now : data)
        break;
    case GPU_ATOMIC_UMIN:
        EACH_LANE(MIN2(now, data))
        break;
    case GPU_ATOMIC_UMAX:
        EACH_LANE(MAX2(now, data))
        break;
    case GPU_ATOMIC_AND:
        EACH_LANE(now & data)
        break;
    case GPU_ATOMIC_OR:
        EACH_LANE(now | data)
        break;
    case GPU_ATOMIC_XOR:
        EACH_LANE(now ^ data)
        break;
    case GPU_ATOMIC_FADD:
        EACH_LANE(of_floats(QPU_A_FADD, now, data, lanes->compare.u[l]))
        break;
    case GPU_ATOMIC_FMIN:
        EACH_LANE(of_floats(QPU_A_FMIN, now, data, lanes->compare.u[l]))
        break;
    case GPU_ATOMIC_FMAX:
        EACH_LANE(of_floats(QPU_A_FMAX, now, data, lanes->compare.u[l]))
        break;
    case GPU_ATOMIC_EXCHANGE:
        EACH_LANE(data)
        break;
    case GPU_ATOMIC_COMPARE:
        EACH_LANE(now == lanes->compare.u[l] ? data : now)
        break;
    }
}

bool gpu_qpu_atomic_lanes(struct gpu_qpu_core *core, enum gpu_atomic what, struct gpu_atomic_lanes *lanes)
{
    uint32_t *loaded = gpu_vpm_dma_word_row(core, lanes->load, false);
    uint32_t *stored = gpu_vpm_dma_word_row(core, lanes->store, true);
    bool is_one_row = !(core->vpm_write.setup >> 12 & 63); /* every write goes to the same row */
    union gpu_vec old, new;

    if (!loaded || !stored || loaded == stored || !is_one_row || gpu_vpm_row_to_read(core, lanes->read) != loaded ||
        gpu_vpm_row_to_write(core) != stored)
        return false;
    each_lane(core, what, lanes, &old, &new);
    memcpy(loaded, &old, sizeof old);
    memcpy(stored, &new, sizeof new);
    gpu_vpm_skip_read(core, lanes->read);
    core->dma.load_setup = lanes->load + QPU_LANES - 1;
    core->dma.store_setup = lanes->store + 8 * (QPU_LANES - 1);
    lanes->row = what >= GPU_ATOMIC_FADD || what == GPU_ATOMIC_UMIN || what == GPU_ATOMIC_UMAX ? new : old;
    return true;
}
