/* SPDX-License-Identifier: MIT
 *
 * Reduces register pressure in steps; each makes the program slower than the previous one:
 *
 *   1. reorder instructions (qc_reorder.c)
 *   2. rematerialise values for later uses (qc_remat.c), more and more of them
 *   3. programs of the CPU engine: spill values to memory (qc_spill.c), more and more of them. The chip has no stores.
 *
 * When the estimated pressure after a step is still far too high, the next step follows without another attempt to
 * compile.
 */
#include "compiler/qpu/qc_reduce_pressure.h"

#include "compiler/ir/ir_pass.h"
#include "compiler/qpu/qc_pressure.h"

#define STEP        8u
#define REMAT_LAST  16u
#define SPILL_FIRST 40u
#define SPILL_STEP       16u
#define SPILL_ROUNDS_MAX 4u
/* Limit for the first two steps, which take more than linear time. */
#define VALUES_MAX 4000u
/* How far the estimate may exceed the registers: some of the values that it counts need none of their own. */
#define SLACK 12u

static uint32_t max_pressure(const struct qc_reduce_pressure *l)
{
    struct qc_pressure p;
    qc_pressure_measure(&p, l->shader);
    return p.live[qc_pressure_worst(&p)];
}

static bool may_fit(const struct qc_reduce_pressure *l)
{
    return max_pressure(l) <= l->registers + SLACK;
}

/* When nothing can be rematerialised although too many values are live, nothing can be at a lower limit either. */
static bool remat(struct qc_reduce_pressure *l)
{
    while (l->remat_limit >= REMAT_LAST && l->remat_limit <= l->registers) {
        bool changed = qc_remat(l->shader, l->remat_limit, l->registers + SLACK);
        if (!changed && max_pressure(l) > l->remat_limit)
            l->remat_limit = 0;
        else
            l->remat_limit -= STEP;
        if (!changed)
            continue;
        qc_reorder(l->shader);
        ir_pass_done(l->shader, "qc_remat", true);
        if (may_fit(l))
            return true;
    }
    return false;
}

/* Reloads have live ranges, too, so it may take several rounds to reach a limit. */
static bool spill(struct qc_reduce_pressure *l)
{
    bool changed = false;
    for (; l->shader->is_engine && l->spill_limit; l->spill_limit -= MIN2(l->spill_limit, SPILL_STEP)) {
        for (unsigned round = 0; round < SPILL_ROUNDS_MAX && qc_spill(l->shader, l->spill_limit); round++) {
            ir_pass_done(l->shader, "qc_spill", true);
            changed = true;
        }
        if (changed && may_fit(l)) {
            l->spill_limit -= MIN2(l->spill_limit, SPILL_STEP);
            return true;
        }
    }
    return changed;
}

bool qc_reduce_pressure_step(struct qc_reduce_pressure *l)
{
    if (!l->steps++) {
        l->remat_limit = l->registers - MIN2(l->registers, STEP);
        l->spill_limit = SPILL_FIRST;
        qc_localise_unpacks(l->shader);
        if (l->shader->value_count <= VALUES_MAX) {
            qc_reorder(l->shader);
            if (may_fit(l))
                return true;
        }
    }
    return (l->shader->value_count <= VALUES_MAX && remat(l)) || spill(l);
}
