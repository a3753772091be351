/* SPDX-License-Identifier: MIT
 *
 * Block pool and state pools: both sides grow without anything moving, exhaustion is an error, and many threads that
 * take and give back never share a state.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "descriptor/vc4vk_state_pool.h"
#include "util/log.h"

#define RESERVE_B (UINT64_C(32) << 20)

static void ignore(void *data, enum util_log_level level, const char *line)
{
}

static void grows_both_ways(void **state)
{
    struct vc4vk_block_pool pool;
    assert_int_equal(vc4vk_block_pool_init(&pool, RESERVE_B), VK_SUCCESS);
    enum { COUNT = 200 };
    uint32_t *front[COUNT], *back[COUNT];
    int32_t last_front = -1, last_back = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        int32_t a, b;
        assert_true(vc4vk_block_pool_take(&pool, VC4VK_POOL_FRONT, 65536, &a));
        assert_true(vc4vk_block_pool_take(&pool, VC4VK_POOL_BACK, 32768, &b));
        assert_true(a > last_front && a % 65536 == 0);
        assert_true(b < last_back && b % 32768 == 0);
        last_front = a;
        last_back = b;
        front[i] = vc4vk_block_pool_ptr(&pool, a);
        back[i] = vc4vk_block_pool_ptr(&pool, b);
        assert_int_equal(*front[i] | *back[i], 0);
        *front[i] = i;
        *back[i] = ~i;
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_int_equal(*front[i], i); /* through the pointers of then */
        assert_int_equal(*back[i], ~i);
    }
    vc4vk_block_pool_finish(&pool);
    vc4vk_block_pool_finish(&pool);
}

static void ends_with_an_error(void **state)
{
    struct vc4vk_block_pool pool;
    assert_int_equal(vc4vk_block_pool_init(&pool, RESERVE_B), VK_SUCCESS);
    uint32_t blocks = 0;
    int32_t offset;
    while (vc4vk_block_pool_take(&pool, VC4VK_POOL_BACK, 1u << 20, &offset))
        blocks++;
    assert_int_equal(blocks, RESERVE_B / 2 >> 20);
    assert_true(vc4vk_block_pool_take(&pool, VC4VK_POOL_FRONT, 64, &offset)); /* the other side is not affected */
    vc4vk_block_pool_finish(&pool);
    util_log_set_sink(ignore, NULL);
    assert_int_equal(vc4vk_block_pool_init(&pool, 1 << 20), VK_ERROR_OUT_OF_HOST_MEMORY);
    util_log_set_sink(NULL, NULL);
}

static void states_are_recycled(void **state)
{
    struct vc4vk_state_pool pool;
    assert_int_equal(vc4vk_state_pool_init(&pool, RESERVE_B), VK_SUCCESS);
    struct vc4vk_state a, b, c;
    assert_true(vc4vk_state_get(&pool, 100, &a));
    assert_int_equal(a.size_B, 128);
    assert_true(a.offset_B > 0); /* 0 is the null state */
    memset(a.map, 0xff, a.size_B);
    vc4vk_state_put(&pool, a);
    assert_true(vc4vk_state_get(&pool, 128, &b));
    assert_int_equal(b.offset_B, a.offset_B);
    for (uint32_t i = 0; i < b.size_B; i++)
        assert_int_equal(((uint8_t *)b.map)[i], 0);
    assert_true(vc4vk_state_get(&pool, 64, &c)); /* another bucket */
    assert_int_equal(c.size_B, 64);
    assert_int_equal(atomic_load(&pool.live), 2);
    vc4vk_state_put(&pool, b);
    vc4vk_state_put(&pool, c);
    vc4vk_state_put(&pool, (struct vc4vk_state){0});
    assert_int_equal(atomic_load(&pool.live), 0);
    vc4vk_state_pool_finish(&pool);
}

/* -- many threads -------------------------------------------------------------------------------------------------- */

#define THREADS 4
#define HELD    64
#define ROUNDS  20000

struct worker {
    struct vc4vk_state_pool *pool;
    uint32_t id;
    uint32_t broken; /* states that somebody else wrote to while we held them */
};

static void *work(void *arg)
{
    struct worker *w = arg;
    struct vc4vk_state held[HELD] = {0};
    int32_t tables[4] = {0};
    uint32_t random = w->id * 2654435761u + 1;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        random = random * 1664525u + 1013904223u;
        struct vc4vk_state *s = &held[random >> 16 & (HELD - 1)];
        if (s->size_B) {
            const uint32_t *words = s->map;
            for (uint32_t i = 0; i < s->size_B / 4; i++)
                w->broken += words[i] != (w->id << 24 | (uint32_t)s->offset_B >> 6);
            vc4vk_state_put(w->pool, *s);
            s->size_B = 0;
        } else if (vc4vk_state_get(w->pool, 64u << (random >> 28 & 3), s)) {
            uint32_t *words = s->map;
            for (uint32_t i = 0; i < s->size_B / 4; i++) {
                w->broken += words[i] != 0;
                words[i] = w->id << 24 | (uint32_t)s->offset_B >> 6;
            }
        }
        int32_t *table = &tables[random >> 24 & 3];
        if (*table) {
            w->broken += *(uint32_t *)vc4vk_state_ptr(w->pool, *table + 64) != w->id;
            vc4vk_table_block_put(w->pool, *table);
            *table = 0;
        } else if (vc4vk_table_block_get(w->pool, table)) {
            *(uint32_t *)vc4vk_state_ptr(w->pool, *table + 64) = w->id;
        }
    }
    for (uint32_t i = 0; i < HELD; i++)
        vc4vk_state_put(w->pool, held[i]);
    for (uint32_t i = 0; i < ARRAY_SIZE(tables); i++)
        if (tables[i])
            vc4vk_table_block_put(w->pool, tables[i]);
    return NULL;
}

static void threads_never_share(void **state)
{
    struct vc4vk_state_pool pool;
    struct worker workers[THREADS];
    pthread_t threads[THREADS];
    assert_int_equal(vc4vk_state_pool_init(&pool, RESERVE_B), VK_SUCCESS);
    for (uint32_t i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){&pool, i + 1, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(workers[i].broken, 0);
    }
    assert_int_equal(atomic_load(&pool.live), 0);
    /* What was given back was used again: the pool holds about what the threads held at once. */
    assert_true(atomic_load(&pool.blocks.back_next_B) <= 2 * THREADS * 4 * VC4VK_TABLE_BLOCK_B);
    assert_true(atomic_load(&pool.blocks.front_next_B) <= 8 * VC4VK_STATE_BLOCK_B);
    vc4vk_state_pool_finish(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grows_both_ways),
        cmocka_unit_test(ends_with_an_error),
        cmocka_unit_test(states_are_recycled),
        cmocka_unit_test(threads_never_share),
    };
    return cmocka_run_group_tests_name("block_pool", tests, NULL, NULL);
}
