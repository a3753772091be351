/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bench.h"
#include "util/thread.h"

#define PATIENCE_NS UINT64_C(60000000000)

static void interrupt_changed(void *data)
{
    struct bench *b = data;
    pthread_mutex_lock(&b->mutex);
    b->changes++;
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->mutex);
}

static void draw_triangles(struct scene *s)
{
    for (unsigned n = 0; n < 12; n++) {
        const float x = (float)(n * 9), y = (float)(n * 5);
        const uint32_t first = s->vertex_count;
        scene_vertex(s, x, y, 0.5f, 1, (float)n);
        scene_vertex(s, x + 40, y + 3, 0.5f - (float)n / 40, 1, (float)(n * 3));
        scene_vertex(s, x + 7, y + 30, 0.5f, 1, (float)(n * 7));
        scene_draw_array(s, CL_PRIM_TRIANGLES, first, 3);
    }
}

struct bench *bench_create(uint32_t limit_ms, bool resets_by_vpmbase)
{
    struct bench *b = calloc(1, sizeof *b);
    assert_non_null(b);
    pthread_mutex_init(&b->mutex, NULL);
    assert_int_equal(util_cond_init(&b->changed), 0);
    b->scene = scene_create(130, 70, 2);
    scene_begin(b->scene);
    draw_triangles(b->scene);
    b->bin_end = scene_bin_list(b->scene);
    b->render_end = scene_render_list(b->scene);
    const struct board_v3d_machine machine = {
        .memory = b->scene->mem.base,
        .memory_size_B = SCENE_MEMORY_B,
        .interrupt_changed = interrupt_changed,
        .data = b,
        .threads = 2,
        .limit_ms = limit_ms,
        .resets_by_vpmbase = resets_by_vpmbase,
    };
    assert_int_equal(board_v3d_create(&machine, &b->v3d), 0);
    return b;
}

void bench_destroy(struct bench *b)
{
    board_v3d_destroy(b->v3d);
    scene_destroy(b->scene);
    pthread_cond_destroy(&b->changed);
    pthread_mutex_destroy(&b->mutex);
    free(b);
}

int bench_setup(void **state)
{
    *state = bench_create(60000, false);
    return 0;
}

int bench_teardown(void **state)
{
    bench_destroy(*state);
    return 0;
}

void bench_start(struct bench *b, unsigned n)
{
    wr(b, ct(V3D_CT0CA, n), n ? SCENE_RENDER_LIST : SCENE_BIN_LIST);
    wr(b, ct(V3D_CT0EA, n), n ? b->render_end : b->bin_end);
}

void bench_wait(struct bench *b, uint32_t offset, uint32_t mask, uint32_t value)
{
    const uint64_t end_ns = util_deadline_ns(PATIENCE_NS);
    while ((rd(b, offset) & mask) != value) {
        if (util_now_ns() > end_ns)
            fail_msg("register 0x%03x is 0x%08x: waited for 0x%x in 0x%x", offset, rd(b, offset), value, mask);
        sched_yield();
    }
}

void bench_wait_interrupt(struct bench *b, uint32_t bits)
{
    const uint64_t end_ns = util_deadline_ns(PATIENCE_NS);
    pthread_mutex_lock(&b->mutex);
    while (!board_v3d_interrupt(b->v3d) || !(rd(b, V3D_INTCTL) & bits))
        if (!util_cond_wait_until(&b->changed, &b->mutex, end_ns))
            fail_msg("no interrupt 0x%x", bits);
    pthread_mutex_unlock(&b->mutex);
    wr(b, V3D_INTCTL, bits);
}

void bench_frame(struct bench *b)
{
    struct scene *s = b->scene;
    uint8_t *color = s->mem.base + SCENE_COLOR;
    scene_bin_again(s);
    assert_int_equal(scene_render(s), GPU_OK);
    const uint32_t expected = scene_hash(s);
    memset(color, 0, s->width_px * s->height_px * 4);
    memset(s->mem.base + SCENE_TILE_ALLOC, 0, SCENE_TILE_ALLOC_B);

    wr(b, V3D_INTCTL, INT_MASK); /* of lists before */
    wr(b, V3D_INTENA, INT_FRDONE | INT_FLDONE);
    bench_start(b, 0);
    bench_wait_interrupt(b, INT_FLDONE);
    bench_start(b, 1);
    bench_wait_interrupt(b, INT_FRDONE);
    assert_int_equal(scene_hash(s), expected);
}
