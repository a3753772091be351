/* SPDX-License-Identifier: MIT
 *
 * Estimates from documented rates [guide p.12 "25M triangles/s, 1G pixels/s at 250 MHz", p.16 four clocks an
 * instruction, p.97 twelve QPUs, p.15 four pixels a clock]. Peak memory bandwidth is that of 32 bits at both edges of
 * 400 and 450 MHz, the default clocks of the boards' firmware.
 */
#include "inspect/inspect_estimate.h"

const struct inspect_chip inspect_chips[INSPECT_CHIPS] = {
    {"250 MHz, memory 3.2 GB/s", 250e6, 3.2e9},
    {"400 MHz, memory 3.6 GB/s", 400e6, 3.6e9},
};

const char *inspect_unit_name(enum inspect_unit unit)
{
    static const char *const names[INSPECT_UNITS] = {
        [INSPECT_UNIT_QPUS] = "QPUs",
        [INSPECT_UNIT_FEP] = "rasteriser",
        [INSPECT_UNIT_TEXTURES] = "texture units",
        [INSPECT_UNIT_PRIMITIVES] = "primitive setup",
        [INSPECT_UNIT_MEMORY] = "memory",
    };
    return names[unit];
}

uint64_t inspect_instrs(const struct model_costs *costs)
{
    uint64_t sum = 0;
    for (unsigned stage = 0; stage < MODEL_STAGES; stage++)
        sum += costs->of[MODEL_COST_COORDINATE_INSTRS + stage];
    return sum;
}

uint64_t inspect_memory_B(const struct model_costs *costs)
{
    static const enum model_cost kinds[] = {
        MODEL_COST_TEXTURE_LINES_B, MODEL_COST_MEMORY_B,      MODEL_COST_UNIFORM_B,   MODEL_COST_ATTRIBUTE_B,
        MODEL_COST_LIST_B,          MODEL_COST_DMA_LOAD_B,    MODEL_COST_DMA_STORE_B, MODEL_COST_COLOR_LOAD_B,
        MODEL_COST_ZS_LOAD_B,       MODEL_COST_COLOR_STORE_B, MODEL_COST_ZS_STORE_B,
    };
    uint64_t sum = 0;
    for (unsigned i = 0; i < ARRAY_SIZE(kinds); i++)
        sum += costs->of[kinds[i]];
    return sum;
}

/* Excludes uniforms: all QPUs of a slice read them through a cache, so they cause hardly any memory traffic. */
static double traffic_B(const struct model_costs *costs)
{
    return (double)(inspect_memory_B(costs) - costs->of[MODEL_COST_UNIFORM_B]);
}

void inspect_estimate(const struct inspect_chip *chip, const struct model_costs *costs, struct inspect_estimate *out)
{
    const double lookups = (double)(costs->of[MODEL_COST_TEXTURE_LOOKUPS] + costs->of[MODEL_COST_MEMORY_LOOKUPS]);
    const double quads = (double)(costs->of[MODEL_COST_QUADS] + costs->of[MODEL_COST_EARLY_Z]);
    const double clocks[INSPECT_UNITS] = {
        [INSPECT_UNIT_QPUS] = (double)inspect_instrs(costs) * 4 / 12,
        [INSPECT_UNIT_FEP] = quads,
        [INSPECT_UNIT_TEXTURES] = lookups / 4,
        [INSPECT_UNIT_PRIMITIVES] = (double)costs->of[MODEL_COST_PRIMITIVES] * 10,
    };
    *out = (struct inspect_estimate){0};
    for (unsigned unit = 0; unit < INSPECT_UNITS; unit++) {
        out->unit_s[unit] =
            unit == INSPECT_UNIT_MEMORY ? traffic_B(costs) / chip->memory_B_per_s : clocks[unit] / chip->clock_Hz;
        if (out->unit_s[unit] > out->least_s) {
            out->least_s = out->unit_s[unit];
            out->longest = (enum inspect_unit)unit;
        }
    }
}
