/* SPDX-License-Identifier: MIT
 *
 * Queues on the model: hand-built jobs clear a surface, CPU operations between them check it, and a job that is
 * submitted again builds its lists from the current contents of memory. Prints how long a job takes from submission to
 * fence.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>
#include "queue/vc4vk_sync.h"
#include "util/log.h"
#include "util/thread.h"

#define SIZE_PX 128
#define LONG_NS UINT64_C(20000000000)

struct bench {
    struct kmd_device *kmd;
    struct vc4vk_queue_device device;
    struct vc4vk_queue *queues[2];
};

static struct bench b;

static int set_up(void **state)
{
    struct kmd_physical physical[KMD_MAX_DEVICES];
    setenv("VC4VK_DEVICE", "model", 1);
    const struct vc4vk_context_create queues[] = {{0, 0, 1.0f}, {0, 1, 1.0f}};
    if (kmd_enumerate(physical) < 1 || kmd_open(&physical[0], &b.kmd) ||
        vc4vk_queue_device_init(&b.device, b.kmd, NULL, queues, 2))
        return 1;
    b.queues[0] = vc4vk_queue_device_get(&b.device, 0, 0);
    b.queues[1] = vc4vk_queue_device_get(&b.device, 0, 1);
    return 0;
}

static int tear_down(void **state)
{
    vc4vk_queue_device_finish(&b.device);
    kmd_close(b.kmd);
    return 0;
}

/* Clears to the word that `data` points to at issue. */
static VkResult build_clear(const struct vc4vk_job *job, struct vc4vk_job_build *build)
{
    build->render.clear_color[0] = build->render.clear_color[1] = *(const uint32_t *)job->data;
    return VK_SUCCESS;
}

static void make_clear(struct vc4vk_job *job, struct kmd_bo *bo, const uint32_t *color)
{
    vc4vk_job_init(job, "clear");
    job->build = build_clear;
    job->data = color;
    job->render.width_px = job->render.height_px = SIZE_PX;
    job->render.max_x_tl = job->render.max_y_tl = SIZE_PX / 64 - 1;
    job->render.color_write = (struct kmd_surface){.bo_index = vc4vk_job_add_bo(job, bo), .bits = 1 << 2};
    job->render.flags = KMD_RENDER_USE_CLEAR_COLOR;
}

struct next_color {
    const uint32_t *pixels;
    uint32_t color, wrong;
};

/* Counts the pixels that do not have the round's colour, and changes the colour for the next round. */
static VkResult run_next_color(void *arguments)
{
    struct next_color *next = arguments;
    for (uint32_t i = 0; i < SIZE_PX * SIZE_PX; i++)
        next->wrong += next->pixels[i] != next->color;
    next->color++;
    return VK_SUCCESS;
}

struct rounds {
    struct vc4vk_queue *queue;
    uint32_t color, wrong;
};

/* 50 rounds of clear, check and next colour, in one submission that repeats the same two commands. */
static void *run_rounds(void *arg)
{
    enum { ROUNDS = 50 };
    struct rounds *rounds = arg;
    struct kmd_bo *bo;
    if (kmd_bo_create(b.kmd, SIZE_PX * SIZE_PX * 4, "surface", &bo))
        return NULL;
    struct next_color next = {.pixels = kmd_bo_map(bo), .color = rounds->color};
    struct vc4vk_job job;
    struct vc4vk_cpu_op op;
    make_clear(&job, bo, &next.color);
    vc4vk_cpu_op_init(&op, VC4VK_ENGINE_COPY, "next colour", run_next_color, &next);
    struct vc4vk_command *commands[2 * ROUNDS];
    for (uint32_t i = 0; i < ROUNDS; i++) {
        commands[2 * i] = &job.command;
        commands[2 * i + 1] = &op.command;
    }
    struct vc4vk_timestamp_set done;
    const struct vc4vk_submission submission = {.commands = commands, .command_count = 2 * ROUNDS};
    VkResult result = vc4vk_queue_submit_commands(rounds->queue, &submission, &done);
    if (result == VK_SUCCESS)
        result = vc4vk_timestamp_set_wait(b.kmd, &done, util_deadline_ns(LONG_NS));
    rounds->wrong = next.wrong + (result != VK_SUCCESS) + (next.color != rounds->color + ROUNDS);
    kmd_bo_unref(bo);
    return NULL;
}

static void two_queues_clear_and_look(void **state)
{
    struct rounds rounds[2] = {{b.queues[0], 0x100, 1}, {b.queues[1], 0x200, 1}};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_rounds, &rounds[i]), 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(rounds[0].wrong, 0);
    assert_int_equal(rounds[1].wrong, 0);
}

static void latency(void **state)
{
    enum { JOBS = 200 };
    struct kmd_bo *bo;
    const uint32_t color = 7;
    struct vc4vk_job job;
    assert_int_equal(kmd_bo_create(b.kmd, SIZE_PX * SIZE_PX * 4, "surface", &bo), 0);
    make_clear(&job, bo, &color);
    struct vc4vk_command *command = &job.command;
    const struct vc4vk_submission submission = {.commands = &command, .command_count = 1};
    uint64_t start_ns = util_now_ns();
    for (int i = 0; i < JOBS; i++) {
        struct vc4vk_timestamp_set done;
        assert_int_equal(vc4vk_queue_submit_commands(b.queues[0], &submission, &done), VK_SUCCESS);
        assert_int_equal(vc4vk_timestamp_set_wait(b.kmd, &done, util_deadline_ns(LONG_NS)), VK_SUCCESS);
    }
    uint64_t time_ns = util_now_ns() - start_ns;
    printf("# clear of %dx%d, submission to fence: %llu us\n", SIZE_PX, SIZE_PX,
           (unsigned long long)(time_ns / JOBS / 1000));
    kmd_bo_unref(bo);
}

static uint32_t error_lines;

static void count_errors(void *data, enum util_log_level level, const char *line)
{
    error_lines += level == UTIL_LOG_ERROR;
}

static void refused_job_loses_the_device(void **state)
{
    struct kmd_bo *bo;
    struct vc4vk_job job;
    const uint32_t color = 7;
    assert_int_equal(kmd_bo_create(b.kmd, SIZE_PX * SIZE_PX * 4, "surface", &bo), 0);
    make_clear(&job, bo, &color);
    job.render.color_write.offset_B = 4096; /* reaches past the end */
    struct vc4vk_command *command = &job.command;
    const struct vc4vk_submission submission = {.commands = &command, .command_count = 1};
    struct vc4vk_timestamp_set done;
    util_log_set_sink(count_errors, NULL);
    assert_int_equal(vc4vk_queue_submit_commands(b.queues[0], &submission, &done), VK_SUCCESS);
    assert_int_equal(vc4vk_timestamp_set_wait(b.kmd, &done, util_deadline_ns(LONG_NS)), VK_ERROR_DEVICE_LOST);
    vc4vk_queue_device_finish(&b.device);
    util_log_set_sink(NULL, NULL);
    assert_true(error_lines >= 1);
    kmd_bo_unref(bo);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(two_queues_clear_and_look, set_up, tear_down),
        cmocka_unit_test_setup_teardown(latency, set_up, tear_down),
        cmocka_unit_test_setup_teardown(refused_job_loses_the_device, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("queue_model", tests, NULL, NULL);
}
