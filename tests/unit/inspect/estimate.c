/* SPDX-License-Identifier: MIT
 *
 * Tests that inspect_estimate computes the times of the chip's units from the documented rates.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "inspect/inspect_estimate.h"

static const struct inspect_chip chip = {"test", 250e6, 1e9};

static void each_unit_by_its_rate(void **state)
{
    struct inspect_estimate e;
    struct model_costs costs = {0};
    costs.of[MODEL_COST_FRAGMENT_INSTRS] = 750000000; /* 12 QPUs x 62.5 million a second */
    costs.of[MODEL_COST_QUADS] = 250000000;           /* 1 Gpixel */
    costs.of[MODEL_COST_TEXTURE_LOOKUPS] = 1000000000;
    costs.of[MODEL_COST_PRIMITIVES] = 25000000;
    costs.of[MODEL_COST_COLOR_STORE_B] = 1000000000;
    costs.of[MODEL_COST_UNIFORM_B] = 1000000000; /* cached: not part of the memory time */
    inspect_estimate(&chip, &costs, &e);
    for (unsigned unit = 0; unit < INSPECT_UNITS; unit++)
        assert_true(e.unit_s[unit] > 0.999999 && e.unit_s[unit] < 1.000001);
}

static void the_longest_counts(void **state)
{
    struct inspect_estimate e;
    struct model_costs costs = {0};
    inspect_estimate(&chip, &costs, &e);
    assert_true(e.least_s == 0);
    costs.of[MODEL_COST_QUADS] = 1000;
    costs.of[MODEL_COST_ZS_LOAD_B] = 1000000;
    inspect_estimate(&chip, &costs, &e);
    assert_int_equal(e.longest, INSPECT_UNIT_MEMORY);
    assert_true(e.least_s == e.unit_s[INSPECT_UNIT_MEMORY]);
}

/* inspect_instrs adds the instructions of all stages. inspect_memory_B adds each kind of memory traffic once. */
static void sums_have_every_kind_once(void **state)
{
    for (unsigned i = 0; i < MODEL_COSTS; i++) {
        struct model_costs costs = {0};
        costs.of[i] = 5;
        const bool is_instrs = i < MODEL_COST_COORDINATE_INSTRS + MODEL_STAGES;
        assert_int_equal(inspect_instrs(&costs), is_instrs ? 5 : 0);
        assert_int_equal(inspect_memory_B(&costs), i > MODEL_COST_TEXTURE_B ? 5 : 0);
    }
}

/* Quads rejected by early Z still occupy the rasteriser, and memory lookups still occupy the texture units. */
static void units_do_more_than_one_thing(void **state)
{
    struct inspect_estimate e;
    struct model_costs costs = {0};
    costs.of[MODEL_COST_EARLY_Z] = 250000000;
    costs.of[MODEL_COST_MEMORY_LOOKUPS] = 1000000000;
    costs.of[MODEL_COST_USER_INSTRS] = 750000000;
    inspect_estimate(&chip, &costs, &e);
    const enum inspect_unit busy[] = {INSPECT_UNIT_FEP, INSPECT_UNIT_TEXTURES, INSPECT_UNIT_QPUS};
    for (unsigned i = 0; i < sizeof busy / sizeof busy[0]; i++)
        assert_true(e.unit_s[busy[i]] > 0.999999 && e.unit_s[busy[i]] < 1.000001);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_unit_by_its_rate),
        cmocka_unit_test(the_longest_counts),
        cmocka_unit_test(sums_have_every_kind_once),
        cmocka_unit_test(units_do_more_than_one_thing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
