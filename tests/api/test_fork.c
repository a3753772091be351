/* SPDX-License-Identifier: MIT
 *
 * Children of fork(), and ends of processes. Whatever the parent's driver is doing at the fork, a child can create its
 * own instance and device, draw and compute. A child has none of the parent's threads, and locks that they held stay
 * locked.
 *
 * The children are forked while threads of the parent compile, draw, compute and fail (failures are logged). The
 * threads avoid entry points in which the loader takes a lock of its own, and the validation layer is not used.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "vkt.h"
#include "fork.comp.h"
#include "push.frag.h"
#include "push.vert.h"

#define W         48
#define H         48
#define GROUPS    512u /* enough to be compiled */
#define CHILD_S   300u /* a child that takes longer hangs; sanitizers with jit-now are slow */
#define MAX_FORKS 5u   /* per test; 40 with VKT_FUZZ=full */
#define EXITS     12u  /* processes that end while the driver compiles */

/* -- work of parent and children ---------------------------------------------------------------------------------- */

/* Draws a rectangle over the whole target, with a colour that depends on `number`. */
static void draw(struct vkt *t, uint32_t number)
{
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline p = vkt_pipeline_create(t, &(struct vkt_pipeline_info){
                                                       .vs = VKT_SHADER(push_vert),
                                                       .fs = VKT_SHADER(push_frag),
                                                       .pass = target.pass,
                                                       .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                                       .push_size_B = 36,
                                                       .width = W,
                                                       .height = H,
                                                   });
    const float blue = (float)(number % 256) / 255, values[9] = {1, 0.2f, blue, 1, -1, -1, 1, 1, 0.5f};
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (float[]){0, 0, 0, 0}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.pipeline);
    vkCmdPushConstants(cmd, p.layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, sizeof values,
                       values);
    vkCmdDraw(cmd, 4, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    struct vkt_picture got = vkt_read_target(t, &target);
    for (uint32_t i = 0; i < W * H; i++)
        assert_memory_equal(got.rgba + 4 * i, ((uint8_t[]){255, 51, (uint8_t)number, 255}), 4);
    vkt_picture_free(&got);
    vkt_pipeline_destroy(t, &p);
    vkt_target_destroy(t, &target);
}

static uint32_t expected_word(uint32_t x, uint32_t number)
{
    for (uint32_t bit = 0; bit < 16; bit++)
        x = number >> bit & 1 ? x ^ x << 3 : x + 77;
    return x;
}

/* Runs fork.comp. `number` is a specialisation constant, so each number is another program. */
static void compute(struct vkt *t, uint32_t number)
{
    const VkSpecializationMapEntry entry = {0, 0, 4};
    const VkSpecializationInfo spec = {1, &entry, 4, &number};
    struct vkt_compute c = vkt_compute_create_simple(t, VKT_SHADER(fork_comp), 1, 0, &spec);
    struct vkt_buffer out = vkt_storage_buffer(t, 32 * GROUPS, 0);
    VkDescriptorSet set = vkt_compute_set(t, &c, &out, 1);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_compute_bind(cmd, &c, &set);
    vkCmdDispatch(cmd, GROUPS, 1, 1);
    vkt_end_submit(t, cmd);
    const uint32_t *words = out.map;
    for (uint32_t i = 0; i < 32 * GROUPS; i++)
        assert_int_equal(words[i], expected_word(i, number));
    vkt_buffer_destroy(t, &out);
    vkt_compute_destroy(t, &c);
}

/* -- threads of the parent ---------------------------------------------------------------------------------------- */

struct busy {
    const char *what;
    void (*once)(struct vkt *t, uint32_t number);
    struct vkt t; /* a device of its own */
    pthread_t thread;
    _Atomic bool stop;
    _Atomic uint32_t rounds;
};

static uint32_t first_number; /* differs in each run, so that no program is in a cache */
static struct busy *busy_now; /* the parent's current threads; children repeat their last rounds */
static uint32_t busy_count;

static void *busy_main(void *arg)
{
    struct busy *b = arg;
    while (!atomic_load(&b->stop)) {
        b->once(&b->t, first_number + atomic_fetch_add(&b->rounds, 1));
        vkResetDescriptorPool(b->t.device, b->t.descriptors, 0);
    }
    return NULL;
}

/* A failure that the driver logs. */
static void fail_once(struct vkt *t, uint32_t number)
{
    VkDeviceMemory memory;
    const VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                       .allocationSize = UINT64_C(1) << 40};
    assert_int_not_equal(vkAllocateMemory(t->device, &info, NULL, &memory), VK_SUCCESS);
}

/* A slow messenger callback: other threads that log a failure wait for it. */
static VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                 VkDebugUtilsMessageTypeFlagsEXT types,
                                                 const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    return VK_FALSE;
}

/* -- children ----------------------------------------------------------------------------------------------------- */

static void own_device(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    draw(t, 7);
    compute(t, 5);
    /* Programs that a thread of the parent was compiling at the fork, or that were queued. */
    for (uint32_t i = 0; i < busy_count; i++)
        for (uint32_t n = 0; n < 3; n++)
            if (busy_now[i].once != fail_once)
                busy_now[i].once(t, first_number + atomic_load(&busy_now[i].rounds) - n);
    vkt_forget_devices(); /* then open a second device */
    draw(vkt_device(VKT_TESTED), 8);
}

static void own_failure(void **state)
{
    fail_once(vkt_device(VKT_TESTED), 0);
}

static int run_child(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(own_device), cmocka_unit_test(own_failure)};
    alarm(CHILD_S);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    vkt_forget_devices();
    return cmocka_run_group_tests_name("child", tests, NULL, vkt_teardown);
}

static void fork_child(const char *what)
{
    int status;
    fflush(stdout);
    pid_t child = fork();
    if (!child)
        _exit(run_child());
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (status)
        fail_msg("a child forked while the parent %s ended with %s %d", what, WIFSIGNALED(status) ? "signal" : "status",
                 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

static void fork_while(struct busy *all, uint32_t count, const char *what)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    busy_now = all;
    busy_count = count;
    for (uint32_t i = 0; i < count; i++) {
        all[i].t = vkt_device_create(t);
        assert_int_equal(pthread_create(&all[i].thread, NULL, busy_main, &all[i]), 0);
    }
    const char *fuzz = getenv("VKT_FUZZ");
    const uint32_t forks = fuzz && !strcmp(fuzz, "full") ? 8 * MAX_FORKS : MAX_FORKS;
    for (uint32_t n = 0; n < forks; n++) {
        const uint32_t before = atomic_load(&all[0].rounds);
        while (n < 2 && atomic_load(&all[0].rounds) == before) /* wait until the threads have started */
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        nanosleep(&(struct timespec){.tv_nsec = 5300000 * (long)(n % 7)}, NULL);
        fork_child(what);
    }
    for (uint32_t i = 0; i < count; i++) {
        atomic_store(&all[i].stop, true);
        assert_int_equal(pthread_join(all[i].thread, NULL), 0);
        vkt_device_close(&all[i].t);
    }
    for (uint32_t i = 0; i < count; i++)
        first_number += atomic_load(&all[i].rounds);
    busy_count = 0;
}

/* A child inherits the locks of AddressSanitizer's allocator as they are at the fork (gcc 12), and may wait for one in
 * malloc() for ever. */
#if defined(__SANITIZE_ADDRESS__)
#define NOT_IF_SANITIZED() vkt_skip("AddressSanitizer's allocator stays locked in a child when threads allocated")
#define LET_THREADS_SETTLE() nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL)
#else
#define NOT_IF_SANITIZED()   (void)0
#define LET_THREADS_SETTLE() (void)0
#endif

/* -- tests -------------------------------------------------------------------------------------------------------- */

static void while_it_has_an_instance(void **state)
{
    VkInstance instance;
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    setenv("VK_ICD_FILENAMES", getenv("VKT_TESTED_ICD"), 1);
    vkt_ok(vkCreateInstance(&info, NULL, &instance));
    fork_child("has an instance");
    vkDestroyInstance(instance, NULL);
}

static void while_it_is_idle(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    LET_THREADS_SETTLE();
    fork_child("has an idle device");
    draw(t, 1);
    LET_THREADS_SETTLE();
    fork_child("has drawn");
    compute(t, 1);
    LET_THREADS_SETTLE();
    fork_child("has computed");
    LET_THREADS_SETTLE();
    fork_child("has computed");
}

static void while_it_compiles_and_computes(void **state)
{
    NOT_IF_SANITIZED();
    struct busy all[] = {{.once = compute}, {.once = compute}};
    fork_while(all, VKT_COUNT(all), "compiles and computes");
}

static void while_it_draws(void **state)
{
    NOT_IF_SANITIZED();
    struct busy all[] = {{.once = draw}, {.once = draw}, {.once = draw}};
    fork_while(all, VKT_COUNT(all), "draws");
}

static void while_it_logs(void **state)
{
    NOT_IF_SANITIZED();
    struct vkt *t = vkt_device(VKT_TESTED);
    struct busy all[] = {{.once = fail_once}, {.once = fail_once}};
    PFN_vkCreateDebugUtilsMessengerEXT create =
        (PFN_vkCreateDebugUtilsMessengerEXT)vkGetInstanceProcAddr(t->instance, "vkCreateDebugUtilsMessengerEXT");
    PFN_vkDestroyDebugUtilsMessengerEXT destroy =
        (PFN_vkDestroyDebugUtilsMessengerEXT)vkGetInstanceProcAddr(t->instance, "vkDestroyDebugUtilsMessengerEXT");
    const VkDebugUtilsMessengerCreateInfoEXT info = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT,
        .pfnUserCallback = on_message,
    };
    VkDebugUtilsMessengerEXT messenger;
    vkt_ok(create(t->instance, &info, NULL, &messenger));
    fork_while(all, VKT_COUNT(all), "logs");
    destroy(t->instance, messenger, NULL);
}

/* Called after the destructors of libraries that were loaded later. */
static void linger(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
}

/* exit() runs the destructors of LLVM, which a thread of the driver may be using. Programs often end with all their
 * objects alive. */
static void ends_while_it_compiles(void **state)
{
    NOT_IF_SANITIZED();
#ifdef VKT_LLVM_IS_SHARED
    vkt_skip("a shared LLVM destroys at exit() what it made in the compilation that is under way");
#endif
    for (uint32_t n = 0; n < EXITS; n++) {
        int status;
        fflush(stdout);
        pid_t child = fork();
        if (!child) {
            alarm(CHILD_S);
            vkt_forget_devices();
            atexit(linger);
            struct vkt *t = vkt_device(VKT_TESTED);
            for (uint32_t k = 0; k < 4; k++)
                compute(t, first_number + 4 * n + k);
            nanosleep(&(struct timespec){.tv_nsec = 4700000 * (long)(n % 12)}, NULL);
            exit(0);
        }
        assert_true(child > 0);
        assert_int_equal(waitpid(child, &status, 0), child);
        if (status)
            fail_msg("process %u ended with %s %d", n, WIFSIGNALED(status) ? "signal" : "status",
                     WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    }
    first_number += 4 * EXITS;
}

static void while_it_does_everything(void **state)
{
    NOT_IF_SANITIZED();
    struct busy all[] = {{.once = compute}, {.once = draw}, {.once = fail_once}};
    fork_while(all, VKT_COUNT(all), "does everything");
}

static void when_it_has_closed_everything(void **state)
{
    vkt_teardown(NULL);
    vkt_forget_devices();
    fork_child("has no device any more");
    draw(vkt_device(VKT_TESTED), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_while_it_compiles),   cmocka_unit_test(while_it_has_an_instance),
        cmocka_unit_test(while_it_is_idle),         cmocka_unit_test(while_it_compiles_and_computes),
        cmocka_unit_test(while_it_draws),           cmocka_unit_test(while_it_logs),
        cmocka_unit_test(while_it_does_everything), cmocka_unit_test(when_it_has_closed_everything),
    };
#if defined(__SANITIZE_THREAD__) || defined(VKT_CANNOT_FORK)
    printf("1..0 # SKIP ThreadSanitizer and qemu end children that start threads\n");
    return 0;
#endif
    setenv("VKT_NO_VALIDATION", "1", 1);
    first_number = 1009u * (uint32_t)getpid();
    return cmocka_run_group_tests_name("fork", tests, NULL, vkt_teardown);
}
