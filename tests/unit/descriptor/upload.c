/* SPDX-License-Identifier: MIT
 *
 * Upload ring: blocks do not overlap while they are in use, freed ones come round again, the ring grows before it waits
 * and waits for the oldest timestamp alone.
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

/* Many sizes in and out of a small window: contents stay, and one BO is enough. */
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
    struct vc4vk_upload_block *last = take(&ring, 100); /* outgrown BOs go */
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
    ring.next_size_B = VC4VK_UPLOAD_MAX_B; /* nothing left to grow to */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_round),
        cmocka_unit_test(grows_while_in_use),
        cmocka_unit_test(waits_for_the_oldest),
    };
    return cmocka_run_group_tests_name("upload", tests, harness_set_up, harness_tear_down);
}
