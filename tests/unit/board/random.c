/* SPDX-License-Identifier: MIT
 *
 * Random accesses to V3D's registers, with lists and programs in memory that they start, halfway overwritten.
 * Afterwards a reset must give a block that draws. `random SEED COUNT` makes others; 20,000 by default, 1,000,000 with
 * VKT_FUZZ=full.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bench.h"
#include "util/log.h"

#define LIMIT_MS 20u

static uint64_t seed = 1;
static unsigned count = 20000;

static uint32_t rnd(uint32_t below)
{
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)((seed >> 33) % below);
}

static void ignore_message(void *data, enum util_log_level level, const char *line)
{
}

/* An address that means something, or nearly so. */
static uint32_t random_address(const struct bench *b)
{
    const uint32_t places[] = {SCENE_BIN_LIST,   b->bin_end,         SCENE_RENDER_LIST,  b->render_end,
                               SCENE_TILE_ALLOC, SCENE_SPILL,        SCENE_RECORD,       SCENE_CODE,
                               BENCH_CODE,       BENCH_CODE + 0x100, SCENE_MEMORY_B - 1, 0,
                               0xfffffff0};
    const uint32_t place = places[rnd(sizeof places / sizeof *places)];
    return rnd(4) ? place : place + rnd(64) - 32;
}

static uint32_t random_value(const struct bench *b)
{
    switch (rnd(4)) {
    case 0:
        return 1u << rnd(32);
    case 1:
        return rnd(0x10000) << 16 | rnd(0x10000);
    case 2:
        return rnd(16);
    default:
        return random_address(b);
    }
}

/* Registers that do something are chosen more often. */
static uint32_t random_offset(void)
{
    static const uint16_t often[] = {V3D_CT0CS,  V3D_CT0CS + 4, V3D_CT0CA, V3D_CT0CA + 4, V3D_CT0EA,  V3D_CT0EA + 4,
                                     V3D_BPOA,   V3D_BPOS,      V3D_SRQPC, V3D_SRQUA,     V3D_SRQCS,  V3D_INTCTL,
                                     V3D_INTENA, V3D_INTDIS,    V3D_PCTRE, V3D_VPMBASE,   V3D_DBQITE, V3D_DBQITC};
    return rnd(3) ? often[rnd(sizeof often / sizeof *often)] : rnd(BOARD_V3D_SIZE_B + 16);
}

static void damage_memory(struct bench *b)
{
    static const uint32_t places[] = {SCENE_BIN_LIST, SCENE_RENDER_LIST, SCENE_RECORD, SCENE_CODE, BENCH_CODE};
    b->scene->mem.base[places[rnd(5)] + rnd(300)] = (uint8_t)rnd(256);
}

static void random_accesses(void **state)
{
    struct bench *b = bench_create(LIMIT_MS, true);
    uint8_t *memory = b->scene->mem.base;
    uint8_t *kept = malloc(SCENE_TILE_STATE);
    uint32_t sum = 0;
    assert_non_null(kept);
    scene_code(b->scene, BENCH_CODE, "sem nop, 19 \n nop ; end \n nop \n nop");
    scene_code(b->scene, BENCH_CODE + 0x100, "sem nop, 3 \n mov host_int, 1 \n nop ; end \n nop \n nop");
    memcpy(kept, memory, SCENE_TILE_STATE);
    util_log_set_sink(ignore_message, NULL);
    for (unsigned n = 0; n < count; n++) {
        switch (rnd(40)) {
        case 0: /* as a driver does: something whole runs, too */
            bench_start(b, rnd(2));
            break;
        case 1:
            damage_memory(b);
            break;
        case 2:
            memcpy(memory, kept, SCENE_TILE_STATE);
            break;
        default:
            if (rnd(4))
                wr(b, random_offset(), random_value(b));
            else
                sum += rd(b, random_offset()) + board_v3d_interrupt(b->v3d);
        }
        if (n % 1000 == 999) {
            board_v3d_reset(b->v3d);
            memcpy(memory, kept, SCENE_TILE_STATE);
            bench_frame(b);
        }
    }
    util_log_set_sink(NULL, NULL);
    print_message("# %u accesses, sum of what was read 0x%08" PRIx32 "\n", count, sum);
    free(kept);
    bench_destroy(b);
}

int main(int argc, char **argv)
{
#ifdef __SANITIZE_THREAD__
    puts("1..0 # SKIP lists and programs at random addresses write what others read: a data race, but of the guest");
    return 0;
#endif
    const char *fuzz = getenv("VKT_FUZZ");
    if (fuzz && !strcmp(fuzz, "full"))
        count = 1000000;
    if (argc > 1)
        seed = strtoull(argv[1], NULL, 0);
    if (argc > 2)
        count = (unsigned)strtoul(argv[2], NULL, 0);
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_accesses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
