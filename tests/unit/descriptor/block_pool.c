/* SPDX-License-Identifier: MIT
 *
 * Block pool, state pools and streams: both sides grow without moving any block, only allocated blocks use memory, a
 * failure at any step of the growth loses nothing, and with many threads that allocate and free, every byte has at most
 * one owner.
 */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include "descriptor/vc4vk_binding_table.h"
#include "util/log.h"

#define RESERVE_B (UINT64_C(32) << 20)
#define PAGE_B    4096

static void discard_log(void *data, enum util_log_level level, const char *line)
{
}

static uint64_t file_memory_B(const struct vc4vk_block_pool *pool)
{
    struct stat stat;
    assert_int_equal(fstat(pool->fd, &stat), 0);
    return (uint64_t)stat.st_blocks * 512;
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
        assert_int_equal(*front[i], i); /* the old pointers are still valid */
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
    util_log_set_sink(discard_log, NULL);
    assert_int_equal(vc4vk_block_pool_init(&pool, 1 << 20), VK_ERROR_OUT_OF_HOST_MEMORY);
    util_log_set_sink(NULL, NULL);
}

/* Space skipped for alignment is allocated later, and at the end larger blocks are split. */
static void wastes_nothing(void **state)
{
    static const uint32_t sizes_B[] = {64, 1u << 20, 4096, 256, 65536, 128, 1u << 19, 64, 32768};
    for (enum vc4vk_pool_side side = VC4VK_POOL_FRONT; side <= VC4VK_POOL_BACK; side++) {
        struct vc4vk_block_pool pool;
        uint64_t taken_B = 0;
        int32_t offset, given;
        assert_int_equal(vc4vk_block_pool_init(&pool, RESERVE_B), VK_SUCCESS);
        for (uint32_t i = 0; i < 200; i++)
            if (vc4vk_block_pool_take(&pool, side, sizes_B[i % ARRAY_SIZE(sizes_B)], &offset)) {
                assert_int_equal(offset & (int32_t)(sizes_B[i % ARRAY_SIZE(sizes_B)] - 1), 0);
                taken_B += sizes_B[i % ARRAY_SIZE(sizes_B)];
            }
        for (uint32_t log2 = VC4VK_BLOCK_MAX_LOG2; log2 >= VC4VK_BLOCK_MIN_LOG2; log2--)
            while (vc4vk_block_pool_take(&pool, side, 1u << log2, &offset))
                taken_B += 1u << log2;
        assert_int_equal(taken_B, RESERVE_B / 2);
        given = side == VC4VK_POOL_FRONT ? 1 << 20 : -(1 << 20);
        vc4vk_block_pool_put(&pool, side, 1u << 20, given);
        for (uint32_t i = 0; i < 1u << 14; i++) {
            assert_true(vc4vk_block_pool_take(&pool, side, 64, &offset));
            assert_true(offset >= given && offset < given + (1 << 20));
        }
        assert_false(vc4vk_block_pool_take(&pool, side, 64, &offset));
        vc4vk_block_pool_finish(&pool);
    }
}

/* -- memory -------------------------------------------------------------------------------------------------------- */

/* Fills the reservation from both sides: the memory used is that of the allocated blocks, in steps of 64 KiB. */
static void uses_what_it_hands_out(void **state)
{
    struct vc4vk_block_pool pool;
    uint64_t taken_B[2] = {0};
    int32_t offset;
    assert_int_equal(vc4vk_block_pool_init(&pool, RESERVE_B), VK_SUCCESS);
    assert_int_equal(file_memory_B(&pool), 0);
    for (uint32_t size_B = 64; taken_B[0] + taken_B[1] < RESERVE_B; size_B = size_B < 65536 ? size_B * 4 : 65536) {
        for (enum vc4vk_pool_side side = VC4VK_POOL_FRONT; side <= VC4VK_POOL_BACK; side++) {
            if (!vc4vk_block_pool_take(&pool, side, size_B, &offset)) { /* the last step was split up */
                while (vc4vk_block_pool_take(&pool, side, 64, &offset))
                    taken_B[side] += 64;
                assert_int_equal(taken_B[side], RESERVE_B / 2);
                continue;
            }
            taken_B[side] += size_B;
        }
        assert_true(file_memory_B(&pool) <= taken_B[0] + taken_B[1] + 2 * 131072);
    }
    assert_int_equal(file_memory_B(&pool), RESERVE_B);
    vc4vk_block_pool_finish(&pool);
}

/* A pool system that maps the file but does not allocate its pages, so that only touched pages count in the file's
 * size. */
static uint64_t backed_B;

static bool map_file(int fd, uint8_t *at, uint64_t offset_B, uint64_t size_B)
{
    return mmap(at, size_B, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, (off_t)offset_B) != MAP_FAILED;
}

static bool back_nothing(int fd, uint64_t offset_B, uint64_t size_B)
{
    backed_B += size_B;
    return true;
}

/* Fills the whole reservation: the pool itself touches no page except those that hold free-list links. */
static void touches_no_page(void **state)
{
    static const struct vc4vk_pool_system lazy = {map_file, back_nothing};
    struct vc4vk_block_pool pool;
    uint64_t reserve_B = sizeof(void *) == 8 ? VC4VK_POOL_RESERVE_64BIT_B : VC4VK_POOL_RESERVE_32BIT_B;
    uint64_t blocks = 0;
    int32_t offset;
    assert_int_equal(vc4vk_block_pool_init(&pool, reserve_B), VK_SUCCESS);
    reserve_B = 2 * pool.half_B;
    pool.system = &lazy;
    backed_B = 0;
    for (enum vc4vk_pool_side side = VC4VK_POOL_FRONT; side <= VC4VK_POOL_BACK; side++)
        for (; vc4vk_block_pool_take(&pool, side, 65536, &offset); blocks++)
            if (blocks % 4096 == 0)
                *(uint32_t *)vc4vk_block_pool_ptr(&pool, offset) = 1;
    assert_int_equal(blocks * 65536, reserve_B);
    assert_int_equal(backed_B, reserve_B);
    assert_true(file_memory_B(&pool) <= util_align64(blocks, 4096) / 4096 * PAGE_B);
    vc4vk_block_pool_finish(&pool);
}

/* -- failures ------------------------------------------------------------------------------------------------------ */

static uint32_t calls_left; /* system calls that succeed before all fail */
static uint64_t largest_map_B;

static bool may_call(void)
{
    return calls_left && calls_left--;
}

static bool map_sometimes(int fd, uint8_t *at, uint64_t offset_B, uint64_t size_B)
{
    return size_B <= largest_map_B && may_call() && map_file(fd, at, offset_B, size_B);
}

static bool back_sometimes(int fd, uint64_t offset_B, uint64_t size_B)
{
    return may_call() && posix_fallocate(fd, (off_t)offset_B, (off_t)size_B) == 0;
}

static const struct vc4vk_pool_system failing = {map_sometimes, back_sometimes};

/* Fails the n-th system call, for every n until the reservation can be filled: the allocation returns an error, and
 * later the whole reservation can still be allocated. Earlier blocks keep their contents. */
static void every_step_may_fail(void **state)
{
    for (uint32_t n = 0;; n++) {
        struct vc4vk_block_pool pool;
        uint32_t taken = 0, after = 0;
        int32_t offset;
        assert_int_equal(vc4vk_block_pool_init(&pool, UINT64_C(16) << 20), VK_SUCCESS);
        pool.system = &failing;
        largest_map_B = UINT64_MAX;
        calls_left = n;
        enum vc4vk_pool_side side = n & 1 ? VC4VK_POOL_FRONT : VC4VK_POOL_BACK;
        while (vc4vk_block_pool_take(&pool, side, 65536, &offset))
            *(uint32_t *)vc4vk_block_pool_ptr(&pool, offset) = ++taken;
        bool was_enough = taken == 128;
        assert_true(was_enough || !calls_left);
        calls_left = UINT32_MAX;
        while (vc4vk_block_pool_take(&pool, side, 65536, &offset))
            after++;
        assert_int_equal(taken + after, 128);
        for (uint32_t i = 0; i < taken; i++) {
            int32_t at = side == VC4VK_POOL_FRONT ? (int32_t)i * 65536 : -(int32_t)(i + 1) * 65536;
            assert_int_equal(*(uint32_t *)vc4vk_block_pool_ptr(&pool, at), i + 1);
        }
        vc4vk_block_pool_finish(&pool);
        if (was_enough)
            break;
    }
}

/* If large steps cannot be mapped, the pool grows in smaller ones. */
static void grows_in_smaller_steps(void **state)
{
    struct vc4vk_block_pool pool;
    uint32_t blocks = 0;
    int32_t offset;
    assert_int_equal(vc4vk_block_pool_init(&pool, RESERVE_B), VK_SUCCESS);
    pool.system = &failing;
    largest_map_B = 1 << 17;
    calls_left = UINT32_MAX;
    while (vc4vk_block_pool_take(&pool, VC4VK_POOL_FRONT, 65536, &offset))
        blocks++;
    assert_int_equal(blocks, RESERVE_B / 2 / 65536);
    vc4vk_block_pool_finish(&pool);
}

/* -- states -------------------------------------------------------------------------------------------------------- */

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

static void streams_give_all_back(void **state)
{
    struct vc4vk_state_pool pool;
    struct vc4vk_state_stream front, back;
    assert_int_equal(vc4vk_state_pool_init(&pool, RESERVE_B), VK_SUCCESS);
    vc4vk_state_stream_init(&front, &pool, VC4VK_POOL_FRONT, 4096);
    vc4vk_state_stream_init(&back, &pool, VC4VK_POOL_BACK, VC4VK_TABLE_BLOCK_B);
    vc4vk_state_stream_reset(&front);
    uint64_t front_B = 0, back_B = 0;
    for (uint32_t round = 0; round < 10; round++) {
        for (uint32_t i = 0; i < 500; i++) {
            uint32_t at, other;
            assert_true(vc4vk_state_stream_take(&front, 100, &at));
            assert_true(at % 16 == 0 && at >= VC4VK_STREAM_FIRST_B && at + 100 <= 4096);
            memset((uint8_t *)vc4vk_state_ptr(&pool, front.newest_B) + at, 0xff, 112);
            assert_true(vc4vk_state_stream_take(&back, 1000, &other));
            memset((uint8_t *)vc4vk_state_ptr(&pool, back.newest_B) + other, 0xff, 1000);
        }
        assert_int_equal(atomic_load(&pool.live), front.block_count + back.block_count);
        vc4vk_state_stream_reset(&front);
        vc4vk_state_stream_reset(&back);
        assert_int_equal(atomic_load(&pool.live), 0);
        if (round == 0) {
            front_B = atomic_load(&pool.blocks.sides[VC4VK_POOL_FRONT].next_B);
            back_B = atomic_load(&pool.blocks.sides[VC4VK_POOL_BACK].next_B);
        }
    }
    assert_int_equal(atomic_load(&pool.blocks.sides[VC4VK_POOL_FRONT].next_B), front_B);
    assert_int_equal(atomic_load(&pool.blocks.sides[VC4VK_POOL_BACK].next_B), back_B);
    const uint8_t *null_state = vc4vk_state_ptr(&pool, 0);
    for (uint32_t i = 0; i < VC4VK_SURFACE_STATE_B; i++)
        assert_int_equal(null_state[i], 0);
    vc4vk_state_pool_finish(&pool);
}

/* -- many threads -------------------------------------------------------------------------------------------------- */

#define THREADS 8
#define HELD    64
#define CELL_B  64

/* The owner of each 64-byte cell. A block that is handed out twice shows up as a cell that already has an owner. */
struct owners {
    _Atomic uint8_t front[RESERVE_B / 2 / CELL_B], back[RESERVE_B / 2 / CELL_B];
};

struct worker {
    struct vc4vk_state_pool *pool;
    struct owners *owners;
    uint32_t id, rounds, random;
    uint32_t broken;  /* cells with the wrong owner or contents */
    uint64_t full;    /* allocations that failed because the pool was full */
};

struct held {
    enum { HELD_NOTHING, HELD_STATE, HELD_BLOCK, HELD_STREAM } kind;
    enum vc4vk_pool_side side;
    struct vc4vk_state state; /* or the block */
    struct vc4vk_state_stream stream;
};

static uint32_t next_random(struct worker *w)
{
    w->random = w->random * 1664525u + 1013904223u;
    return w->random >> 8;
}

static _Atomic uint8_t *owner_of(struct worker *w, int32_t offset_B)
{
    return offset_B >= 0 ? &w->owners->front[offset_B / CELL_B] : &w->owners->back[-(offset_B + 1) / CELL_B];
}

static void change_owner(struct worker *w, int32_t offset_B, uint32_t size_B, uint8_t from, uint8_t to)
{
    uint32_t step_B = size_B > 8192 ? size_B / 8 : CELL_B; /* large blocks: only some of the cells */
    for (uint32_t at_B = 0; at_B < size_B; at_B += step_B)
        w->broken += atomic_exchange(owner_of(w, offset_B + (int32_t)at_B), to) != from;
}

/* Writes words that only the owner may change. Skips the first: other threads may still read a free-list link there. */
static void write_words(struct worker *w, int32_t offset_B, uint32_t size_B)
{
    uint32_t *words = vc4vk_state_ptr(w->pool, offset_B);
    words[1] = words[size_B / 4 - 1] = w->id << 24 | w->rounds;
}

static void check_words(struct worker *w, int32_t offset_B, uint32_t size_B)
{
    const uint32_t *words = vc4vk_state_ptr(w->pool, offset_B);
    w->broken += words[1] >> 24 != w->id || words[1] != words[size_B / 4 - 1];
}

static void take_stream(struct worker *w, struct held *h)
{
    uint32_t at;
    vc4vk_state_stream_init(&h->stream, w->pool, h->side, h->side ? VC4VK_TABLE_BLOCK_B : 4096);
    uint32_t before = 0;
    for (uint32_t n = next_random(w) % 8 + 1; n && vc4vk_state_stream_take(&h->stream, 2000, &at); n--) {
        if (h->stream.block_count == before)
            continue;
        before = h->stream.block_count;
        change_owner(w, h->stream.newest_B, h->stream.block_B, 0, (uint8_t)w->id);
    }
    h->kind = HELD_STREAM;
}

static void take(struct worker *w, struct held *h)
{
    uint32_t random = next_random(w);
    h->side = random & 1 ? VC4VK_POOL_BACK : VC4VK_POOL_FRONT;
    if ((random & 15) < 2) {
        take_stream(w, h);
        return;
    }
    if (h->side == VC4VK_POOL_FRONT && (random & 2)) {
        h->kind = vc4vk_state_get(w->pool, 64u << (random >> 8) % 7, &h->state) ? HELD_STATE : HELD_NOTHING;
    } else {
        h->state.size_B = 64u << (random >> 8) % 11;
        h->kind = vc4vk_block_pool_take(&w->pool->blocks, h->side, h->state.size_B, &h->state.offset_B) ? HELD_BLOCK
                                                                                                       : HELD_NOTHING;
    }
    if (h->kind == HELD_NOTHING) {
        w->full++;
        return;
    }
    change_owner(w, h->state.offset_B, h->state.size_B, 0, (uint8_t)w->id);
    write_words(w, h->state.offset_B, h->state.size_B);
}

static void give_back(struct worker *w, struct held *h)
{
    if (h->kind == HELD_STREAM) {
        int32_t at_B = h->stream.newest_B;
        for (uint32_t i = 0; i < h->stream.block_count; i++) {
            change_owner(w, at_B, h->stream.block_B, (uint8_t)w->id, 0);
            at_B = vc4vk_free_list_next(&w->pool->blocks, h->side, at_B);
        }
        vc4vk_state_stream_reset(&h->stream);
    } else if (h->kind != HELD_NOTHING) {
        check_words(w, h->state.offset_B, h->state.size_B);
        change_owner(w, h->state.offset_B, h->state.size_B, (uint8_t)w->id, 0);
        if (h->kind == HELD_STATE)
            vc4vk_state_put(w->pool, h->state);
        else
            vc4vk_block_pool_put(&w->pool->blocks, h->side, h->state.size_B, h->state.offset_B);
    }
    h->kind = HELD_NOTHING;
}

static void *work(void *arg)
{
    struct worker *w = arg;
    struct held held[HELD] = {0};
    for (; w->rounds; w->rounds--) {
        struct held *h = &held[next_random(w) % HELD];
        if (h->kind == HELD_NOTHING)
            take(w, h);
        else
            give_back(w, h);
    }
    for (uint32_t i = 0; i < HELD; i++)
        give_back(w, &held[i]);
    return NULL;
}

/* The bytes in the free lists and in the unused parts of the buckets' blocks. */
static uint64_t free_B(struct vc4vk_state_pool *pool, enum vc4vk_pool_side side)
{
    uint64_t sum_B = 0;
    int32_t offset;
    for (uint32_t i = 0; i < VC4VK_BLOCK_SIZES; i++)
        while (vc4vk_free_list_pop(&pool->blocks.sides[side].free[i], &pool->blocks, side, &offset))
            sum_B += 1u << (i + VC4VK_BLOCK_MIN_LOG2);
    for (uint32_t i = 0; i < VC4VK_STATE_BUCKETS && side == VC4VK_POOL_FRONT; i++) {
        uint64_t run = atomic_load(&pool->front[i].run);
        sum_B += (uint32_t)run - (run >> 32);
        while (vc4vk_free_list_pop(&pool->front[i].free_list, &pool->blocks, side, &offset))
            sum_B += 1u << (i + VC4VK_STATE_MIN_LOG2);
    }
    return sum_B;
}

static uint32_t rounds_of_a_thread(void)
{
    const char *fuzz = getenv("VKT_FUZZ");
    return fuzz && !strcmp(fuzz, "full") ? 2000000 : 100000;
}

static void threads_own_every_byte_once(void **state)
{
    struct vc4vk_state_pool pool;
    struct worker workers[THREADS];
    pthread_t threads[THREADS];
    struct owners *owners = calloc(1, sizeof *owners);
    assert_non_null(owners);
    assert_int_equal(vc4vk_state_pool_init(&pool, RESERVE_B), VK_SUCCESS);
    for (uint32_t i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){&pool, owners, i + 1, rounds_of_a_thread(), (i + 1) * 2654435761u, 0, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    uint64_t full = 0;
    for (uint32_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(workers[i].broken, 0);
        full += workers[i].full;
    }
    print_message("# %u threads, %u operations each, %u full\n", THREADS, rounds_of_a_thread(), (unsigned)full);
    assert_int_equal(atomic_load(&pool.live), 0);
    /* Nothing is lost: all bytes ever handed out are free again, except the null state. */
    assert_int_equal(free_B(&pool, VC4VK_POOL_FRONT) + VC4VK_SURFACE_STATE_B,
                     atomic_load(&pool.blocks.sides[VC4VK_POOL_FRONT].next_B));
    assert_int_equal(free_B(&pool, VC4VK_POOL_BACK), atomic_load(&pool.blocks.sides[VC4VK_POOL_BACK].next_B));
    vc4vk_state_pool_finish(&pool);
    free(owners);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grows_both_ways),
        cmocka_unit_test(ends_with_an_error),
        cmocka_unit_test(wastes_nothing),
        cmocka_unit_test(uses_what_it_hands_out),
        cmocka_unit_test(touches_no_page),
        cmocka_unit_test(every_step_may_fail),
        cmocka_unit_test(grows_in_smaller_steps),
        cmocka_unit_test(states_are_recycled),
        cmocka_unit_test(streams_give_all_back),
        cmocka_unit_test(threads_own_every_byte_once),
    };
    return cmocka_run_group_tests_name("block_pool", tests, NULL, NULL);
}
