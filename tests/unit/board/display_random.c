/* SPDX-License-Identifier: MIT
 *
 * Random accesses to the display blocks, with planes of random words, and pictures composed in between; afterwards a
 * reset must give blocks that show a right picture. `display_random SEED COUNT` makes others; 20,000 by default,
 * 1,000,000 with VKT_FUZZ=full.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "display_bench.h"

#define SIZE_PX 48u

static uint64_t seed = 1;
static unsigned count = 20000;

static uint32_t rnd(uint32_t below)
{
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)((seed >> 33) % below);
}

static uint32_t random_value(void)
{
    switch (rnd(6)) {
    case 0:
        return 1u << rnd(32);
    case 1:
        return rnd(0x10000) << 16 | rnd(0x10000);
    case 2:
        return rnd(64);
    case 3:
        return MEMORY_ADDR + rnd(MEMORY_SIZE_B);
    case 4:
        return MEMORY_ADDR + MEMORY_SIZE_B - rnd(256) + rnd(256);
    default:
        return rnd(80) << 16 | rnd(80);
    }
}

/* A plane that makes sense in most of its words. */
static void random_plane(struct display_bench *b)
{
    struct test_plane plane = {
        .format = rnd(PLANE_H264 + 1),
        .order = rnd(4),
        .tiling = rnd(2) ? PLANE_LINEAR : rnd(4),
        .x = rnd(rnd(8) ? SIZE_PX : 4096),
        .y = rnd(rnd(8) ? SIZE_PX : 4096),
        .width = rnd(rnd(8) ? SIZE_PX : 4096),
        .height = rnd(rnd(8) ? SIZE_PX : 4096),
        .source_width = rnd(2) ? rnd(4096) : 0,
        .source_height = rnd(rnd(4) ? 100 : 4096),
        .flips = rnd(4) << 15,
        .alpha_bits = rnd(16) << 28,
        .transparency = rnd(256),
    };
    for (unsigned i = 0; i < 3; i++) {
        plane.addr[i] = rnd(4) ? MEMORY_ADDR + rnd(MEMORY_SIZE_B) : random_value();
        plane.pitch[i] = rnd(2) ? rnd(512) : random_value();
        plane.csc[i] = rnd(0x10000) << 16 | rnd(0x10000);
    }
    if (b->end + 40 > HVS_LIST_WORDS || !rnd(20))
        bench_begin_list(b);
    bench_plane(b, &plane);
    if (!rnd(4))
        wr(b, BOARD_DISPLAY_HVS, HVS_LIST + 4 * (b->end - 1 - rnd(15)), random_value());
}

/* Registers that do something are chosen more often. */
static uint32_t random_offset(enum board_display_block block)
{
    static const uint16_t often[] = {HVS_DISPCTRL,   HVS_DISPSTAT,  HVS_DISPLIST0, HVS_DISPCTRL0,
                                     HVS_DISPBKGND0, HVS_DISPSTAT0, HVS_DISPBASE0, HVS_GAMADDR,
                                     HVS_GAMDATA,    HVS_OLEDCOEF0, HVS_OLEDOFFS,  HVS_LIST + 4 * FIRST_WORD};
    if (block == BOARD_DISPLAY_HVS && rnd(4))
        return often[rnd(sizeof often / sizeof *often)];
    return rnd(rnd(2) ? 0x40 : board_display_size_B(block) + 16);
}

static uint32_t compose(struct display_bench *b, unsigned screen)
{
    static uint32_t pixels[SIZE_PX * SIZE_PX];
    uint32_t width, height;
    (void)board_display_mode(b->display, screen, &width, &height);
    assert_true(width <= BOARD_DISPLAY_MAX_PX && height <= BOARD_DISPLAY_MAX_PX);
    (void)board_display_compose(b->display, screen, pixels, SIZE_PX, SIZE_PX, SIZE_PX);
    return pixels[rnd(SIZE_PX * SIZE_PX)];
}

/* As a driver does: a list of a few planes, and a mode. */
static uint32_t show_something(struct display_bench *b)
{
    const unsigned chosen = rnd(BOARD_DISPLAY_SCREENS);
    if (!rnd(4))
        board_display_reset(b->display);
    for (unsigned screen = 0; screen < BOARD_DISPLAY_SCREENS; screen++)
        bench_hide(b, screen);
    bench_begin_list(b);
    for (unsigned planes = 1 + rnd(4); planes > 0; planes--)
        random_plane(b);
    bench_end_list(b);
    bench_show(b, chosen, 1 + rnd(SIZE_PX), 1 + rnd(SIZE_PX));
    return compose(b, chosen);
}

static void check_picture(struct display_bench *b)
{
    static uint32_t pixels[SIZE_PX * SIZE_PX];
    board_display_reset(b->display);
    bench_begin_list(b);
    const struct test_plane plane = {
        .format = PLANE_RGBA8888,
        .order = 3,
        .width = SIZE_PX,
        .height = SIZE_PX,
        .addr = {MEMORY_ADDR},
        .pitch = {SIZE_PX * 4},
    };
    bench_plane(b, &plane);
    bench_end_list(b);
    bench_show(b, 0, SIZE_PX, SIZE_PX);
    bench_compose(b, 0, pixels, SIZE_PX, SIZE_PX);
    for (uint32_t i = 0; i < SIZE_PX * SIZE_PX; i++) {
        uint32_t expected;
        memcpy(&expected, b->memory + 4 * i, 4);
        assert_int_equal(pixels[i], expected & 0xffffff);
    }
}

static void random_accesses(void **state)
{
    struct display_bench *b = display_bench_create(0);
    uint32_t sum = 0;
    for (uint32_t i = 0; i < MEMORY_SIZE_B; i++)
        b->memory[i] = (uint8_t)(i * 2654435761u >> 24);
    for (unsigned n = 0; n < count; n++) {
        const enum board_display_block block = rnd(BOARD_DISPLAY_BLOCKS + 1);
        switch (rnd(32)) {
        case 0:
            sum += show_something(b);
            break;
        case 1:
            random_plane(b);
            break;
        case 2:
            sum += compose(b, rnd(BOARD_DISPLAY_SCREENS + 1));
            break;
        default:
            if (rnd(4))
                wr(b, block, random_offset(block), random_value());
            else
                sum += rd(b, block, random_offset(block)) + board_display_interrupt(b->display, block);
        }
        if (n % 5000 == 4999)
            check_picture(b);
    }
    print_message("# %u accesses, sum of what was read 0x%08" PRIx32 "\n", count, sum);
    display_bench_destroy(b);
}

int main(int argc, char **argv)
{
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
