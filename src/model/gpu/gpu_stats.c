/* SPDX-License-Identifier: MIT
 *
 * Counts what a job costs: tables that grow, and a model of the chip's texture cache.
 */
#include <stdlib.h>
#include <string.h>
#include "model/gpu/gpu_mem.h"
#include "model/gpu/gpu_stats.h"

const char *model_cost_name(enum model_cost cost)
{
    static const char *const names[MODEL_COSTS] = {
        [MODEL_COST_COORDINATE_INSTRS] = "coordinate instructions",
        [MODEL_COST_VERTEX_INSTRS] = "vertex instructions",
        [MODEL_COST_FRAGMENT_INSTRS] = "fragment instructions",
        [MODEL_COST_USER_INSTRS] = "user program instructions",
        [MODEL_COST_RUNS] = "program runs",
        [MODEL_COST_VERTICES] = "vertices shaded",
        [MODEL_COST_PRIMITIVES] = "primitives in tiles",
        [MODEL_COST_QUADS] = "quads shaded",
        [MODEL_COST_PIXELS] = "pixels shaded",
        [MODEL_COST_EARLY_Z] = "quads stopped by early Z",
        [MODEL_COST_Z_FAILED] = "quads failing Z or stencil",
        [MODEL_COST_TEXTURE_LOOKUPS] = "texture lookups",
        [MODEL_COST_MEMORY_LOOKUPS] = "memory lookups",
        [MODEL_COST_TEXTURE_B] = "texels",
        [MODEL_COST_TEXTURE_LINES_B] = "texture cache lines",
        [MODEL_COST_MEMORY_B] = "memory lookup bytes",
        [MODEL_COST_UNIFORM_B] = "uniforms",
        [MODEL_COST_ATTRIBUTE_B] = "vertex attributes",
        [MODEL_COST_LIST_B] = "tile lists",
        [MODEL_COST_DMA_LOAD_B] = "DMA loads",
        [MODEL_COST_DMA_STORE_B] = "DMA stores",
        [MODEL_COST_COLOR_LOAD_B] = "colour tile loads",
        [MODEL_COST_ZS_LOAD_B] = "depth tile loads",
        [MODEL_COST_COLOR_STORE_B] = "colour tile stores",
        [MODEL_COST_ZS_STORE_B] = "depth tile stores",
    };
    return names[cost];
}

void model_stats_finish(struct model_stats *stats)
{
    for (uint32_t i = 0; i < stats->program_count; i++) {
        free(stats->programs[i].words);
        free(stats->programs[i].executed);
    }
    free(stats->programs);
    free(stats->tiles);
    *stats = (struct model_stats){0};
}

static_assert((int)GPU_COUNTS == MODEL_STATS_CHIP_COUNTS, "sources of the chip's counters");

void gpu_stats_begin(struct gpu_stats *stats, struct model_stats *out, enum model_stage vertices)
{
    memset(stats, 0, sizeof *stats);
    stats->out = out;
    stats->vertices = vertices;
    stats->current = &out->elsewhere;
}

/* -- tiles -- */

/* All render lists of a frame have the same tiles. */
void gpu_stats_set_tiles(struct gpu_stats *stats, uint32_t columns, uint32_t rows, uint32_t tile_px)
{
    struct model_stats *out = stats->out;
    if (out->tiles && out->columns == columns && out->rows == rows && out->tile_px == tile_px)
        return;
    struct model_costs *tiles = calloc((size_t)columns * rows, sizeof *tiles);
    if (!tiles || out->tiles) { /* a job's tiles must not change */
        free(tiles);
        out->failed = true;
        return;
    }
    out->tiles = tiles;
    out->columns = columns;
    out->rows = rows;
    out->tile_px = tile_px;
}

void gpu_stats_enter_tile(struct gpu_stats *stats, uint32_t column, uint32_t row)
{
    struct model_stats *out = stats->out;
    const bool has = column < out->columns && row < out->rows;
    stats->current = has ? &out->tiles[row * out->columns + column] : &out->elsewhere;
}

void gpu_stats_leave_tile(struct gpu_stats *stats)
{
    stats->current = &stats->out->elsewhere;
}

/* -- programs -- */

static bool is_same(const struct model_program_stats *program, enum model_stage stage, uint32_t code_addr,
                    uint32_t count)
{
    return program->code_addr == code_addr && program->stage == stage && program->count == count;
}

static struct model_program_stats *add_program(struct model_stats *out)
{
    if (!(out->program_count & (out->program_count - 1))) { /* 0 or a power of two: full */
        const size_t capacity = MAX2((size_t)out->program_count * 2, 1);
        struct model_program_stats *more = realloc(out->programs, capacity * sizeof *more);
        if (!more)
            return NULL;
        out->programs = more;
    }
    return &out->programs[out->program_count];
}

struct model_program_stats *gpu_stats_program(struct gpu_stats *stats, enum model_stage stage, uint32_t code_addr,
                                              uint32_t count, const struct gpu_memory *mem)
{
    struct model_stats *out = stats->out;
    if (stats->program && is_same(stats->program, stage, code_addr, count))
        return stats->program;
    for (uint32_t i = 0; i < out->program_count; i++)
        if (is_same(&out->programs[i], stage, code_addr, count))
            return stats->program = &out->programs[i];

    uint64_t *words = calloc(count, sizeof *words), *executed = calloc(count, sizeof *executed);
    struct model_program_stats *program = words && executed ? add_program(out) : NULL;
    stats->program = program;
    if (!program) {
        free(words);
        free(executed);
        out->failed = true;
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++) { /* the last two may be unmapped */
        const uint8_t *at = gpu_mem_at(mem, code_addr + 8 * i, 8);
        if (at)
            memcpy(&words[i], at, 8);
    }
    *program = (struct model_program_stats){stage, code_addr, count, words, executed, 0};
    out->program_count++;
    return program;
}

/* -- textures -- */

void gpu_stats_texels(struct gpu_stats *stats, const union gpu_vec *addr, uint32_t size_B)
{
    gpu_stats_add(stats, MODEL_COST_TEXTURE_B, (uint64_t)size_B * QPU_LANES);
    for (unsigned l = 0; l < QPU_LANES; l++) {
        const uint32_t line = addr->u[l] / GPU_STATS_LINE_B;
        uint32_t *at = &stats->line[line % GPU_STATS_LINES];
        if (*at == line + 1)
            continue;
        *at = line + 1;
        gpu_stats_add(stats, MODEL_COST_TEXTURE_LINES_B, GPU_STATS_LINE_B);
    }
}
