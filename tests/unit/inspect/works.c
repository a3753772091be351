/* SPDX-License-Identifier: MIT
 *
 * Several threads begin and end works of the same frame. Tests that each work is counted once and that the frame keeps
 * no more than INSPECT_PICTURES_MAX pictures.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "fake_kmd.h"
#include "inspect/inspect_state.h"
#include "util/log.h"
#include "util/thread.h"

#define THREADS 8
#define WORKS   30 /* per thread: in total more than the picture limit and less than the details limit of a frame */
#define SIZE_PX 16

static_assert(THREADS *WORKS > INSPECT_PICTURES_MAX && THREADS * WORKS <= INSPECT_DETAILS_MAX, "limits");

struct fixture {
    struct kmd_device *kmd;
    struct kmd_bo *bo;
    struct inspect *inspect;
    struct inspect_frame *frame;
};

static void *do_works(void *arg)
{
    struct fixture *b = arg;
    struct kmd_submit submit = {.bos = &b->bo, .bo_count = 1, .bin_cl = "list", .bin_cl_B = 4};
    kmd_render_init(&submit.render);
    submit.render.width_px = submit.render.height_px = SIZE_PX;
    submit.render.color_write.bo_index = 0;
    for (int i = 0; i < WORKS; i++) {
        const struct inspect_job job = {.name = "job", .class = "native", .submit = &submit};
        const struct inspect_program program = {.code = (const uint64_t[]){(uint64_t)i}, .count = 1, .entry = "main"};
        inspect_add_program(b->inspect, &program);
        struct inspect_work *work = inspect_begin_job(b->frame, &job);
        assert_non_null(work);
        inspect_enter(work);
        assert_ptr_equal(inspect_current(), work);
        inspect_leave();
        inspect_end_work(work, 1, 2);
        inspect_presented(b->frame, 1, 2);
        inspect_frame_put(inspect_frame_get(b->inspect));
    }
    return NULL;
}

static void ignore_log(void *data, enum util_log_level level, const char *line)
{
}

static void threads_share_a_frame(void **state)
{
    struct fixture b;
    struct fake_kmd *fake;
    char dir[] = "/tmp/vc4vk-inspect-XXXXXX", path[64];
    pthread_t threads[THREADS];
    assert_non_null(mkdtemp(dir));
    setenv("VC4VK_INSPECT", dir, 1);
    util_log_set_sink(ignore_log, NULL);
    b.kmd = fake_kmd_create(&fake);
    assert_int_equal(kmd_bo_create(b.kmd, SIZE_PX * SIZE_PX * 4, "surface", &b.bo), 0);
    b.inspect = inspect_create(true);
    assert_non_null(b.inspect);
    b.frame = inspect_frame_get(b.inspect);
    assert_non_null(b.frame);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(util_thread_create(&threads[i], "works", do_works, &b), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    uint32_t pictures = 0, numbers = 0;
    util_list_for_each (struct inspect_work, work, &b.frame->works, link) {
        pictures += work->picture.png.size_B != 0;
        numbers += work->number;
    }
    assert_int_equal(b.frame->work_count, THREADS * WORKS);
    assert_int_equal(numbers, THREADS * WORKS * (THREADS * WORKS + 1) / 2);
    assert_int_equal(pictures, INSPECT_PICTURES_MAX);
    assert_int_equal(b.frame->picture_count, INSPECT_PICTURES_MAX);
    inspect_frame_put(b.frame);
    inspect_destroy(b.inspect);
    kmd_bo_unref(b.bo);
    kmd_close(b.kmd);
    util_log_set_sink(NULL, NULL);
    snprintf(path, sizeof path, "%s/frame-0001.html", dir);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(dir), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads_share_a_frame)};
    return cmocka_run_group_tests_name("inspect_works", tests, NULL, NULL);
}
