/* SPDX-License-Identifier: MIT
 *
 * Upload ring: blocks in use do not overlap, freed blocks are reused, the ring grows before it waits, and it waits only
 * for the oldest timestamp.
 */
#include <pthread.h>
#include <unistd.h>
#include "descriptor/vc4vk_upload_ring.h"
#include "harness.h"
#include "kmd/kmd.h"

static struct kmd_device *kmd_of(const struct harness *h)
{
    return vc4vk_device_from_handle(h->device)->kmd;
}

static struct vc4vk_upload_block *take(struct vc4vk_upload_ring *ring, uint32_t size_B)
{
    struct vc4vk_upload_block *block = NULL;
    assert_int_equal(vc4vk_upload_take(ring, size_B, 256, &block), VK_SUCCESS);
    assert_int_equal(block->offset_B % 256, 0);
    assert_int_equal(block->state, VC4VK_UPLOAD_IN_USE);
    return block;
}

/* A small window of live blocks of many sizes: contents stay intact, and one BO is enough. */
static void comes_round(void **state)
{
    enum { WINDOW = 8 };
    struct vc4vk_upload_ring ring;
    struct vc4vk_upload_block *window[WINDOW] = {0};
    vc4vk_upload_ring_init(&ring, kmd_of(*state), NULL);
    const struct kmd_bo *bo = NULL;
    for (uint32_t i = 0; i < 2000; i++) {
        struct vc4vk_upload_block **slot = &window[i * 5 % WINDOW];
        if (*slot) {
            for (uint32_t b = 0; b < (*slot)->size_B; b++)
                assert_int_equal(((uint8_t *)(*slot)->map)[b], (uint8_t)((*slot)->offset_B >> 8));
            vc4vk_upload_release(&ring, *slot);
        }
        *slot = take(&ring, 1 + i * 997 % 6000);
        memset((*slot)->map, (uint8_t)((*slot)->offset_B >> 8), (*slot)->size_B);
        if (!bo)
            bo = (*slot)->bo;
        assert_ptr_equal((*slot)->bo, bo);
    }
    assert_int_equal(ring.wait_count, 0);
    vc4vk_upload_ring_finish(&ring);
}

static void grows_while_in_use(void **state)
{
    struct vc4vk_upload_ring ring;
    vc4vk_upload_ring_init(&ring, kmd_of(*state), NULL);
    struct vc4vk_upload_block *blocks[12];
    for (uint32_t i = 0; i < ARRAY_SIZE(blocks); i++) {
        blocks[i] = take(&ring, 40000);
        memset(blocks[i]->map, (int)i, 40000);
    }
    for (uint32_t i = 0; i < ARRAY_SIZE(blocks); i++) {
        assert_int_equal(((uint8_t *)blocks[i]->map)[39999], i);
        vc4vk_upload_release(&ring, blocks[i]);
    }
    struct vc4vk_upload_block *last = take(&ring, 100); /* frees the smaller BOs */
    assert_ptr_equal(ring.buffers.next, ring.buffers.prev);
    vc4vk_upload_release(&ring, last);
    vc4vk_upload_ring_finish(&ring);
}

static void *retire_later(void *timeline)
{
    usleep(20000);
    kmd_timeline_store_end(timeline, 1);
    return NULL;
}

static void waits_for_the_oldest(void **state)
{
    struct kmd_timeline *timeline;
    struct vc4vk_upload_ring ring;
    pthread_t thread;
    assert_int_equal(kmd_timeline_create(kmd_of(*state), &timeline), 0);
    vc4vk_upload_ring_init(&ring, kmd_of(*state), NULL);
    ring.next_size_B = VC4VK_UPLOAD_MAX_B; /* the maximum: the ring cannot grow further */
    struct vc4vk_upload_block *first = take(&ring, VC4VK_UPLOAD_MAX_B / 2),
                              *second = take(&ring, VC4VK_UPLOAD_MAX_B / 2);
    struct kmd_bo *bo = first->bo;
    vc4vk_upload_retire_at(&ring, first, (struct vc4vk_timestamp){timeline, 1});
    vc4vk_upload_retire_at(&ring, second, (struct vc4vk_timestamp){timeline, 2});
    assert_int_equal(pthread_create(&thread, NULL, retire_later, timeline), 0);
    struct vc4vk_upload_block *third = take(&ring, 1000);
    assert_int_equal(ring.wait_count, 1);
    assert_ptr_equal(third->bo, bo);
    assert_int_equal(third->offset_B, 0);
    assert_true(kmd_timeline_is_retired(timeline, 1) && !kmd_timeline_is_retired(timeline, 2));
    pthread_join(thread, NULL);
    vc4vk_upload_ring_finish(&ring);
    kmd_timeline_destroy(timeline);
}

/* vc4vk_upload_try_take never waits: it fails when the ring cannot grow and its oldest block is pending. */
static void refuses_to_wait(void **state)
{
    struct kmd_timeline *timeline;
    struct vc4vk_upload_ring ring;
    struct vc4vk_upload_block *block;
    assert_int_equal(kmd_timeline_create(kmd_of(*state), &timeline), 0);
    vc4vk_upload_ring_init(&ring, kmd_of(*state), NULL);
    ring.next_size_B = VC4VK_UPLOAD_MAX_B;
    struct vc4vk_upload_block *first = take(&ring, VC4VK_UPLOAD_MAX_B / 2), *second = take(&ring, 4096);
    vc4vk_upload_shrink(&ring, first, 100); /* not the newest block: no effect */
    assert_int_equal(first->size_B, VC4VK_UPLOAD_MAX_B / 2);
    vc4vk_upload_shrink(&ring, second, 256);
    struct vc4vk_upload_block *third = take(&ring, VC4VK_UPLOAD_MAX_B / 4);
    assert_int_equal(third->offset_B, second->offset_B + 256);
    vc4vk_upload_retire_at(&ring, first, (struct vc4vk_timestamp){timeline, 11});
    assert_false(vc4vk_upload_try_take(&ring, VC4VK_UPLOAD_MAX_B / 2, 64, &block));
    assert_null(block);
    assert_false(vc4vk_upload_try_take(&ring, VC4VK_UPLOAD_MAX_B / 2 + 1, 64, &block)); /* too large for any block */
    kmd_timeline_store_end(timeline, 11); /* above the values that earlier tests left there */
    assert_true(vc4vk_upload_try_take(&ring, VC4VK_UPLOAD_MAX_B / 4, 64, &block));
    assert_ptr_equal(block->bo, second->bo);
    assert_int_equal(ring.wait_count, 0);
    vc4vk_upload_ring_finish(&ring);
    kmd_timeline_destroy(timeline);
}

/* -- against a reference model ------------------------------------------------------------------------------------ */

#define MODEL_LIVE 48

/* A reference model of the ring: which bytes of which BO are in use, and until which timestamp. */
struct model {
    struct {
        struct vc4vk_upload_block *block; /* NULL: none. Must not be read once the ring may reclaim it */
        struct kmd_bo *bo;
        uint32_t offset_B, size_B;
        uint64_t until; /* timestamp at which it retires; 0: still in use */
        uint8_t *map, tag;
    } live[MODEL_LIVE];
    uint64_t random, submitted, retired;
    uint64_t taken, refused;
};

static uint32_t model_random(struct model *m, uint32_t below)
{
    m->random = m->random * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(m->random >> 33) % below;
}

static uint32_t model_size(struct model *m)
{
    switch (model_random(m, 16)) {
    case 0:
        return 1 + model_random(m, VC4VK_UPLOAD_MAX_B / 2);
    case 1:
    case 2:
        return 1 + model_random(m, 1u << 20);
    default:
        return 1 + model_random(m, 20000);
    }
}

/* Checks that the first and last byte of block i are unchanged. */
static void model_check(const struct model *m, uint32_t i)
{
    assert_int_equal(m->live[i].map[0], m->live[i].tag);
    assert_int_equal(m->live[i].map[m->live[i].size_B - 1], m->live[i].tag);
}

static void model_forget_retired(struct model *m)
{
    for (uint32_t i = 0; i < MODEL_LIVE; i++)
        if (m->live[i].block && m->live[i].until && m->live[i].until <= m->retired) {
            model_check(m, i);
            m->live[i].block = NULL;
        }
}

static void model_take(struct model *m, struct vc4vk_upload_ring *ring, uint32_t i)
{
    const uint32_t size_B = model_size(m), align_B = 1u << model_random(m, 13);
    struct vc4vk_upload_block *block;
    if (!vc4vk_upload_try_take(ring, size_B, align_B, &block)) {
        bool is_pending = false; /* try_take may only fail if a block has not retired */
        for (uint32_t k = 0; k < MODEL_LIVE; k++)
            is_pending |= m->live[k].block && m->live[k].until;
        assert_true(is_pending);
        m->refused++;
        return;
    }
    assert_true(block->size_B == size_B && block->offset_B % align_B == 0);
    assert_true((uint64_t)block->offset_B + size_B <= block->bo->size_B);
    for (uint32_t k = 0; k < MODEL_LIVE; k++)
        assert_true(!m->live[k].block || m->live[k].bo != block->bo ||
                    block->offset_B + size_B <= m->live[k].offset_B ||
                    m->live[k].offset_B + m->live[k].size_B <= block->offset_B);
    m->live[i].block = block;
    m->live[i].bo = block->bo;
    m->live[i].offset_B = block->offset_B;
    m->live[i].size_B = size_B;
    m->live[i].until = 0;
    m->live[i].map = block->map;
    m->live[i].tag = (uint8_t)model_random(m, 256);
    m->live[i].map[0] = m->live[i].map[size_B - 1] = m->live[i].tag;
    if (model_random(m, 4) == 0) {
        uint32_t less_B = 1 + model_random(m, size_B);
        vc4vk_upload_shrink(ring, block, less_B); /* the newest block: always takes effect */
        assert_int_equal(block->size_B, less_B);
        m->live[i].size_B = less_B;
        m->live[i].map[less_B - 1] = m->live[i].map[0] = m->live[i].tag;
    }
    m->taken++;
}

static void model_step(struct model *m, struct vc4vk_upload_ring *ring, struct kmd_timeline *timeline)
{
    const uint32_t i = model_random(m, MODEL_LIVE), what = model_random(m, 8);
    if (what == 0 && m->retired < m->submitted) {
        m->retired += 1 + model_random(m, (uint32_t)(m->submitted - m->retired));
        kmd_timeline_store_end(timeline, m->retired);
        model_forget_retired(m);
    } else if (!m->live[i].block) {
        model_take(m, ring, i);
    } else if (!m->live[i].until) {
        model_check(m, i);
        if (what == 1) { /* never submitted */
            vc4vk_upload_release(ring, m->live[i].block);
            m->live[i].block = NULL;
        } else {
            m->live[i].until = m->submitted += model_random(m, 2);
            vc4vk_upload_retire_at(ring, m->live[i].block, (struct vc4vk_timestamp){timeline, m->live[i].until});
            model_forget_retired(m);
        }
    }
}

/* Random steps, 1 million or with VKT_FUZZ=full 10 million: blocks do not overlap, none is reused too early, and
 * try_take fails only when waiting would help. */
static void agrees_with_a_model(void **state)
{
    const char *given = getenv("VKT_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 0) : (uint64_t)getpid() * 2654435761u + util_now_ns();
    struct model m = {.random = seed, .submitted = 1000, .retired = 1000};
    struct kmd_timeline *timeline;
    struct vc4vk_upload_ring ring;
    print_message("# seed: VKT_SEED=%llu\n", (unsigned long long)seed);
    assert_int_equal(kmd_timeline_create(kmd_of(*state), &timeline), 0);
    vc4vk_upload_ring_init(&ring, kmd_of(*state), NULL);
    kmd_timeline_store_end(timeline, m.retired);
    const char *fuzz = getenv("VKT_FUZZ");
    const uint32_t steps = fuzz && !strcmp(fuzz, "full") ? 10000000 : 1000000;
    for (uint32_t step = 0; step < steps; step++)
        model_step(&m, &ring, timeline);
    kmd_timeline_store_end(timeline, m.submitted);
    m.retired = m.submitted;
    model_forget_retired(&m);
    for (uint32_t i = 0; i < MODEL_LIVE; i++)
        if (m.live[i].block)
            vc4vk_upload_release(&ring, m.live[i].block);
    struct vc4vk_upload_block *last = take(&ring, VC4VK_UPLOAD_MAX_B / 2); /* everything is free: only one BO is left */
    assert_ptr_equal(ring.buffers.next, ring.buffers.prev);
    vc4vk_upload_release(&ring, last);
    print_message("# %u steps: %llu blocks, %llu refused\n", steps, (unsigned long long)m.taken,
                  (unsigned long long)m.refused);
    assert_true(m.taken > steps / 8);
    assert_int_equal(ring.wait_count, 0);
    vc4vk_upload_ring_finish(&ring);
    kmd_timeline_destroy(timeline);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_round),
        cmocka_unit_test(grows_while_in_use),
        cmocka_unit_test(waits_for_the_oldest),
        cmocka_unit_test(refuses_to_wait),
        cmocka_unit_test(agrees_with_a_model),
    };
    return cmocka_run_group_tests_name("upload", tests, harness_set_up, harness_tear_down);
}
