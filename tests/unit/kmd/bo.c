/* SPDX-License-Identifier: MIT
 *
 * Tests buffer objects and timelines. The BO cache hands out only idle BOs of a suitable size, and it frees them after
 * some time or when memory is short. Timeline words retire jobs, unless a test holds retirement back.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>
#include "fake_kmd.h"
#include "util/thread.h"

static int set_up(void **state)
{
    struct fake_kmd *fake;
    fake_kmd_create(&fake);
    *state = fake;
    return 0;
}

static int tear_down(void **state)
{
    struct fake_kmd *fake = *state;
    kmd_close(&fake->base);
    return 0;
}

static struct kmd_bo *make_bo(struct fake_kmd *fake, uint64_t size_B)
{
    struct kmd_bo *bo = NULL;
    assert_int_equal(kmd_bo_create(&fake->base, size_B, "test", &bo), 0);
    return bo;
}

static void sizes(void **state)
{
    struct fake_kmd *fake = *state;
    struct kmd_bo *bo = make_bo(fake, 1);
    assert_int_equal(bo->size_B, 4096);
    assert_non_null(kmd_bo_map(bo));
    kmd_bo_unref(bo);
    assert_int_equal(kmd_bo_create(&fake->base, 0, "none", &bo), -EINVAL);
    assert_int_equal(kmd_bo_create(&fake->base, UINT64_C(1) << 32, "huge", &bo), -ENOMEM);
    assert_int_equal(kmd_bo_create_shader(&fake->base, (uint64_t[]){0}, 4, &bo), -EINVAL);
}

static void cache_recycles(void **state)
{
    struct fake_kmd *fake = *state;
    struct kmd_bo *bo = make_bo(fake, 40960);
    kmd_bo_ref(bo);
    kmd_bo_unref(bo);
    assert_int_equal(fake->base.cache.count, 0); /* one reference is left */
    kmd_bo_unref(bo);
    assert_int_equal(fake->base.cache.count, 1);

    struct kmd_bo *larger = make_bo(fake, 65536); /* the cached BO is too small */
    assert_ptr_not_equal(larger, bo);
    struct kmd_bo *much_smaller = make_bo(fake, 8192); /* too large for this one */
    assert_ptr_not_equal(much_smaller, bo);
    struct kmd_bo *fitting = make_bo(fake, 36864);
    assert_ptr_equal(fitting, bo);
    assert_int_equal(fitting->size_B, 40960);
    assert_int_equal(atomic_load(&fitting->refs), 1);
    kmd_bo_unref(larger);
    kmd_bo_unref(much_smaller);
    kmd_bo_unref(fitting);
}

static void busy_is_not_recycled(void **state)
{
    struct fake_kmd *fake = *state;
    struct kmd_timeline *line = NULL;
    assert_int_equal(kmd_timeline_create(&fake->base, &line), 0);
    struct kmd_bo *bo = make_bo(fake, 4096);
    kmd_bo_mark_use(bo, line, 3);
    kmd_bo_mark_use(bo, line, 2); /* an older use changes nothing */
    assert_true(kmd_bo_is_busy(bo));
    kmd_bo_unref(bo);
    kmd_bo_cache_drop(&fake->base);
    assert_int_equal(fake->live_bos, 1);

    kmd_timeline_store_end(line, 2);
    struct kmd_bo *other = make_bo(fake, 4096);
    assert_ptr_not_equal(other, bo);
    kmd_timeline_store_end(line, 3);
    struct kmd_bo *again = make_bo(fake, 4096);
    assert_ptr_equal(again, bo);
    kmd_bo_unref(other);
    kmd_bo_unref(again);
    kmd_timeline_destroy(line);
}

static void shader_waits_for_its_use(void **state)
{
    struct fake_kmd *fake = *state;
    struct kmd_timeline *line = NULL;
    assert_int_equal(kmd_timeline_create(&fake->base, &line), 0);
    struct kmd_bo *idle, *busy;
    assert_int_equal(kmd_bo_create_shader(&fake->base, (uint64_t[]){0, 0}, 16, &idle), 0);
    assert_int_equal(kmd_bo_create_shader(&fake->base, (uint64_t[]){0, 0}, 16, &busy), 0);
    assert_null(kmd_bo_map(idle));
    kmd_bo_mark_use(busy, line, 1);
    uint32_t live = fake->live_bos;
    kmd_bo_unref(idle);
    assert_int_equal(fake->live_bos, live - 1);
    kmd_bo_unref(busy);
    assert_int_equal(fake->live_bos, live - 1);
    kmd_timeline_store_end(line, 1);
    kmd_bo_cache_drop(&fake->base);
    assert_int_equal(fake->live_bos, live - 2);
    kmd_timeline_destroy(line);
}

static void cache_ages(void **state)
{
    struct fake_kmd *fake = *state;
    assert_int_equal(kmd_bo_cache_trim(&fake->base), UTIL_FOREVER_NS);
    struct kmd_bo *bo = make_bo(fake, 4096);
    kmd_bo_unref(bo);
    uint64_t next_ns = kmd_bo_cache_trim(&fake->base);
    assert_in_range(next_ns, util_now_ns(), util_now_ns() + UINT64_C(1000000000));
    assert_int_equal(fake->live_bos, 1);
    bo->cached_ns -= UINT64_C(1100000000); /* as if a second had passed */
    assert_int_equal(kmd_bo_cache_trim(&fake->base), UTIL_FOREVER_NS);
    assert_int_equal(fake->live_bos, 0);
}

/* BOs that have been cached for a tenth of a second are offered to the kernel for purging. A purged BO is not handed
 * out. */
static void old_ones_are_offered_to_the_kernel(void **state)
{
    struct fake_kmd *fake = *state;
    fake->can_purge = true;
    struct kmd_bo *bo = make_bo(fake, 4096);
    kmd_bo_unref(bo);
    uint64_t next_ns = kmd_bo_cache_trim(&fake->base);
    assert_in_range(next_ns, util_now_ns(), util_now_ns() + UINT64_C(100000000));
    assert_ptr_equal(make_bo(fake, 4096), bo); /* reused at once: no madvise call */
    assert_int_equal(fake->madvise_calls, 0);
    for (int purged = 0; purged < 2; purged++) {
        kmd_bo_unref(bo);
        bo->cached_ns -= UINT64_C(200000000); /* as if time had passed */
        kmd_bo_cache_trim(&fake->base);
        kmd_bo_cache_trim(&fake->base);
        assert_int_equal(fake->offered_bos, 1);
        fake->has_purged = purged;
        uint32_t created = fake->created_bos;
        bo = make_bo(fake, 4096);
        assert_int_equal(fake->offered_bos, 0);
        assert_int_equal(fake->created_bos, created + (purged ? 1 : 0));
        assert_int_equal(fake->live_bos, 1);
    }
    kmd_bo_unref(bo);
}

static void short_memory_drops_the_cache(void **state)
{
    struct fake_kmd *fake = *state;
    fake->memory_limit_B = 5 * 4096;
    struct kmd_bo *bos[4];
    for (int i = 0; i < 4; i++)
        bos[i] = make_bo(fake, 4096);
    for (int i = 0; i < 4; i++)
        kmd_bo_unref(bos[i]);
    struct kmd_bo *big = make_bo(fake, 5 * 4096); /* fits only when all four go */
    assert_int_equal(fake->live_bos, 1);
    struct kmd_bo *none;
    assert_int_equal(kmd_bo_create(&fake->base, 4096, "no room", &none), -ENOMEM);
    kmd_bo_unref(big);
}

static void words_and_hold(void **state)
{
    struct fake_kmd *fake = *state;
    struct kmd_timeline *line = NULL;
    assert_int_equal(kmd_timeline_create(&fake->base, &line), 0);
    kmd_timeline_store_start(line, 2);
    kmd_timeline_store_end(line, 1);
    assert_true(kmd_timeline_is_retired(line, 1));
    assert_false(kmd_timeline_is_retired(line, 2));
    kmd_test_hold_retire(&fake->base, true);
    kmd_timeline_store_end(line, 2);
    assert_false(kmd_timeline_is_retired(line, 2));
    kmd_test_hold_retire(&fake->base, false);
    assert_true(kmd_timeline_is_retired(line, 2));
    kmd_timeline_destroy(line);

    struct kmd_timeline *timelines[KMD_MAX_TIMELINES], *one_more;
    for (uint32_t i = 0; i < KMD_MAX_TIMELINES; i++)
        assert_int_equal(kmd_timeline_create(&fake->base, &timelines[i]), 0);
    assert_int_equal(kmd_timeline_create(&fake->base, &one_more), -ENOSPC);
    for (uint32_t i = 0; i < KMD_MAX_TIMELINES; i++)
        kmd_timeline_destroy(timelines[i]);
}

static void jobs_move_the_words(void **state)
{
    struct fake_kmd *fake = *state;
    struct kmd_timeline *line = NULL;
    assert_int_equal(kmd_timeline_create(&fake->base, &line), 0);
    struct kmd_bo *bo = make_bo(fake, 4096);
    struct kmd_job_times times[2] = {0};
    struct kmd_submit submit = {.bin_cl = "x", .bin_cl_B = 1, .bos = &bo, .bo_count = 1, .timeline = line};
    kmd_render_init(&submit.render);
    for (uint32_t i = 0; i < 2; i++) {
        submit.value = i + 1;
        submit.times = &times[i];
        assert_int_equal(kmd_submit(&fake->base, &submit), 0);
    }
    assert_true(kmd_bo_is_busy(bo));
    fake_kmd_finish_jobs(fake, 1, 0);
    assert_int_equal(line->start, 1);
    assert_int_equal(line->end, 1);
    assert_true(times[0].started_ns && times[0].finished_ns >= times[0].started_ns && !times[1].finished_ns);
    kmd_device_job_started(&fake->base, 2, 7);
    fake->finished++;
    assert_int_equal(line->start, 2);
    assert_int_equal(line->end, 1);
    kmd_device_job_finished(&fake->base, 9, 0);
    assert_false(kmd_bo_is_busy(bo));
    assert_int_equal(times[1].started_ns, 7);
    assert_int_equal(times[1].finished_ns, 9);

    submit.value = 3;
    fake->submit_error = -EINVAL;
    fake->submit_error_count = 1;
    assert_int_equal(kmd_submit(&fake->base, &submit), -EINVAL);
    assert_true(util_list_is_empty(&fake->base.in_flight));
    kmd_timeline_store_end(line, 3);
    submit.value = 4;
    assert_int_equal(kmd_submit(&fake->base, &submit), 0);
    fake_kmd_finish_jobs(fake, 1, -ETIMEDOUT);
    assert_true(kmd_device_is_lost(&fake->base));
    assert_int_equal(kmd_submit(&fake->base, &submit), -EIO);
    kmd_bo_unref(bo);
    kmd_timeline_destroy(line);
}

/* -- suballocation ------------------------------------------------------------------------------------------------ */

enum { PARTS = 4096 };

/* Thousands of small parts share few BOs and do not overlap. The used memory is counted exactly, in pages. */
static void one_object_serves_many(void **state)
{
    struct fake_kmd *fake = *state;
    static struct kmd_part parts[PARTS];
    uint64_t used_B = 0;
    for (uint32_t i = 0; i < PARTS; i++) {
        const uint32_t size_B = (const uint32_t[]){1, 4096, 5000, 9000, 16384}[i % 5];
        assert_int_equal(kmd_part_create(&fake->base, size_B, "test", &parts[i]), 0);
        assert_true(parts[i].size_B >= size_B && parts[i].offset_B % 4096 == 0);
        assert_true(parts[i].offset_B + parts[i].size_B <= parts[i].bo->size_B);
        memset(kmd_part_map(&parts[i]), (int)(i % 251), parts[i].size_B);
        used_B += parts[i].size_B;
        assert_int_equal(kmd_memory_used_B(&fake->base), used_B);
    }
    assert_true(fake->live_bos <= PARTS / 16);
    for (uint32_t i = 0; i < PARTS; i++) {
        const uint8_t *bytes = kmd_part_map(&parts[i]);
        for (uint32_t b = 0; b < parts[i].size_B; b += 511)
            assert_int_equal(bytes[b], i % 251);
    }
    for (uint32_t i = 0; i < PARTS; i++) { /* every other one first */
        const uint32_t n = i < PARTS / 2 ? 2 * i : 2 * i - PARTS + 1;
        used_B -= parts[n].size_B;
        kmd_part_destroy(&parts[n]);
        assert_int_equal(kmd_memory_used_B(&fake->base), used_B);
    }
    assert_int_equal(used_B, 0);
    assert_int_equal(fake->base.cache.count, fake->live_bos); /* all are in the cache */
}

static void large_parts_are_objects(void **state)
{
    struct fake_kmd *fake = *state;
    struct kmd_part part, other, none = {0};
    assert_int_equal(kmd_part_create(&fake->base, KMD_PART_MAX_B + 1, "test", &part), 0);
    assert_int_equal(kmd_part_create(&fake->base, KMD_PART_MAX_B + 1, "test", &other), 0);
    assert_ptr_not_equal(part.bo, other.bo);
    assert_int_equal(part.offset_B, 0);
    assert_null(part.slab);
    kmd_part_destroy(&part);
    kmd_part_destroy(&other);
    kmd_part_destroy(&none);
    assert_int_equal(kmd_part_create(&fake->base, 0, "test", &part), -EINVAL);
    assert_null(part.bo);
}

/* When memory does not suffice for a shared BO, a part gets a small BO of its own. */
static void parts_where_memory_is_short(void **state)
{
    struct fake_kmd *fake = *state;
    struct kmd_part parts[3], more;
    fake->memory_limit_B = 3 * 4096;
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(kmd_part_create(&fake->base, 100, "test", &parts[i]), 0);
    assert_int_equal(kmd_part_create(&fake->base, 100, "test", &more), -ENOMEM);
    assert_null(more.bo);
    assert_int_equal(kmd_memory_used_B(&fake->base), 3 * 4096);
    for (uint32_t i = 0; i < 3; i++)
        kmd_part_destroy(&parts[i]);
    assert_int_equal(kmd_memory_used_B(&fake->base), 0);
}

/* -- a waiting thread does not block others ----------------------------------------------------------------------- */

struct caller {
    pthread_t thread;
    void (*call)(struct caller *c);
    struct kmd_device *dev;
    struct kmd_bo *bo;
    struct kmd_part part;
    int err;
    _Atomic bool done;
};

static void *make_call(void *arg)
{
    struct caller *c = arg;
    c->call(c);
    atomic_store(&c->done, true);
    return NULL;
}

static void start(struct caller *c, void (*call)(struct caller *c))
{
    c->call = call;
    assert_int_equal(util_thread_create(&c->thread, "caller", make_call, c), 0);
}

static bool is_done_in_time(struct caller *c)
{
    for (uint32_t ms = 0; ms < 30000 && !atomic_load(&c->done); ms++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return atomic_load(&c->done);
}

static void create_large_part(struct caller *c)
{
    c->err = kmd_part_create(c->dev, KMD_PART_MAX_B, "test", &c->part);
}

static void change_small_parts(struct caller *c)
{
    struct kmd_part another;
    c->err = kmd_part_create(c->dev, 1, "test", &another);
    kmd_part_destroy(&c->part);
    if (!c->err)
        kmd_part_destroy(&another);
}

/* The creation of a shared BO may wait up to a second for memory. Meanwhile other threads can use free slots. */
static void a_new_object_holds_up_nobody(void **state)
{
    struct fake_kmd *fake = *state;
    struct caller maker = {.dev = &fake->base}, user = {.dev = &fake->base};
    assert_int_equal(kmd_part_create(&fake->base, 1, "test", &user.part), 0);
    atomic_store(&fake->holds, true);
    start(&maker, create_large_part);
    assert_true(fake_kmd_wait_held(fake, 1));
    start(&user, change_small_parts);
    const bool in_time = is_done_in_time(&user);
    atomic_store(&fake->holds, false);
    pthread_join(user.thread, NULL);
    pthread_join(maker.thread, NULL);
    assert_true(in_time);
    assert_int_equal(user.err | maker.err, 0);
    kmd_part_destroy(&maker.part);
    assert_int_equal(kmd_memory_used_B(&fake->base), 0);
}

static void export_bo(struct caller *c)
{
    int fd = -1;
    c->err = kmd_bo_export_fd(c->bo, &fd);
    close(fd);
}

static void unref_bo(struct caller *c)
{
    kmd_bo_unref(c->bo);
}

/* An export may wait for the BO's jobs. Meanwhile other threads can release BOs. */
static void an_export_holds_up_nobody(void **state)
{
    struct fake_kmd *fake = *state;
    struct caller exporter = {.dev = &fake->base}, other = {.dev = &fake->base};
    assert_int_equal(kmd_bo_create(&fake->base, 4096, "test", &exporter.bo), 0);
    assert_int_equal(kmd_bo_create(&fake->base, 4096, "test", &other.bo), 0);
    export_bo(&other);
    assert_int_equal(other.err, 0);
    atomic_store(&fake->holds, true);
    start(&exporter, export_bo);
    assert_true(fake_kmd_wait_held(fake, 1));
    start(&other, unref_bo); /* `other` was exported too */
    const bool in_time = is_done_in_time(&other);
    atomic_store(&fake->holds, false);
    pthread_join(other.thread, NULL);
    pthread_join(exporter.thread, NULL);
    assert_true(in_time);
    assert_int_equal(exporter.err, 0);
    kmd_bo_unref(exporter.bo);
    assert_int_equal(fake->live_bos, 0);
}

struct part_thread {
    struct kmd_device *dev;
    pthread_t thread;
    uint32_t seed, failures;
};

static void *use_parts(void *arg)
{
    struct part_thread *t = arg;
    struct kmd_part parts[64] = {0};
    uint8_t marks[64] = {0};
    for (uint32_t step = 0; step < 20000; step++) {
        t->seed = t->seed * 1664525u + 1013904223u;
        const uint32_t i = t->seed >> 16 & 63;
        if (parts[i].bo) {
            const uint8_t *bytes = kmd_part_map(&parts[i]);
            t->failures += bytes[0] != marks[i] || bytes[parts[i].size_B - 1] != marks[i];
            kmd_part_destroy(&parts[i]);
        } else if (kmd_part_create(t->dev, 1 + (t->seed >> 8) % 20000, "test", &parts[i])) {
            t->failures++;
        } else {
            uint8_t *bytes = kmd_part_map(&parts[i]);
            marks[i] = (uint8_t)(t->seed >> 4);
            bytes[0] = bytes[parts[i].size_B - 1] = marks[i];
        }
    }
    for (uint32_t i = 0; i < 64; i++)
        kmd_part_destroy(&parts[i]);
    return NULL;
}

static void many_threads_share_objects(void **state)
{
    struct fake_kmd *fake = *state;
    struct part_thread threads[4];
    for (uint32_t i = 0; i < 4; i++) {
        threads[i] = (struct part_thread){.dev = &fake->base, .seed = i};
        assert_int_equal(util_thread_create(&threads[i].thread, "parts", use_parts, &threads[i]), 0);
    }
    for (uint32_t i = 0; i < 4; i++) {
        pthread_join(threads[i].thread, NULL);
        assert_int_equal(threads[i].failures, 0);
    }
    assert_int_equal(kmd_memory_used_B(&fake->base), 0);
}

/* A backend need not have a CPU engine. */
static void no_engine_is_an_error(void **state)
{
    struct fake_kmd *fake = *state;
    struct kmd_bo *bo = make_bo(fake, 4096);
    const struct kmd_submit submit = {.bos = &bo, .bo_count = 1};
    const struct kmd_engine_lists lists = {.submit = &submit};
    const struct kmd_engine_job job = {.bos = &bo, .bo_count = 1};
    struct kmd_engine_result result;
    uint32_t word;
    assert_int_equal(kmd_bo_engine_addr(bo, &word), -ENOTSUP);
    assert_int_equal(kmd_engine_qpu_count(&fake->base, &word), -ENOTSUP);
    assert_int_equal(kmd_engine_run(&fake->base, &job, &result), -ENOTSUP);
    assert_int_equal(kmd_engine_run_lists(&fake->base, &lists, &result), -ENOTSUP);
    kmd_bo_unref(bo);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sizes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(cache_recycles, set_up, tear_down),
        cmocka_unit_test_setup_teardown(busy_is_not_recycled, set_up, tear_down),
        cmocka_unit_test_setup_teardown(shader_waits_for_its_use, set_up, tear_down),
        cmocka_unit_test_setup_teardown(cache_ages, set_up, tear_down),
        cmocka_unit_test_setup_teardown(old_ones_are_offered_to_the_kernel, set_up, tear_down),
        cmocka_unit_test_setup_teardown(short_memory_drops_the_cache, set_up, tear_down),
        cmocka_unit_test_setup_teardown(words_and_hold, set_up, tear_down),
        cmocka_unit_test_setup_teardown(jobs_move_the_words, set_up, tear_down),
        cmocka_unit_test_setup_teardown(one_object_serves_many, set_up, tear_down),
        cmocka_unit_test_setup_teardown(large_parts_are_objects, set_up, tear_down),
        cmocka_unit_test_setup_teardown(parts_where_memory_is_short, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_new_object_holds_up_nobody, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_export_holds_up_nobody, set_up, tear_down),
        cmocka_unit_test_setup_teardown(many_threads_share_objects, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_engine_is_an_error, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("kmd_bo", tests, NULL, NULL);
}
