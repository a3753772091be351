/* SPDX-License-Identifier: MIT
 *
 * The program: options, episodes and the choice of calls. ioctls.h says what it is for and what a line means.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "ioctls.h"

#define CALLS_PER_EPISODE 200u

struct state st;

/* -- helpers of the calls -- */

int call(int fd, unsigned long request, void *arg)
{
    return ioctl(fd, request, arg) ? errno : 0;
}

void quiesce(void)
{
    if (!st.is_busy)
        return;
    struct drm_vc4_wait_seqno wait = {.seqno = st.last_seqno, .timeout_ns = UINT64_C(60000000000)};
    while (call(st.files[0].fd, DRM_IOCTL_VC4_WAIT_SEQNO, &wait) == EINTR) {
    }
    usleep(10000); /* the kernel gives the job's buffers back in a work item after the interrupt */
    st.is_busy = false;
}

void put_fd(int *slot, int fd)
{
    if (*slot >= 0)
        close(*slot);
    *slot = fd;
}

struct file *any_file(void)
{
    return &st.files[chance(70) ? 0 : 1];
}

void *bad_address(const char **name_out)
{
    switch (rnd(3)) {
    case 0:
        *name_out = "null";
        return NULL;
    case 1:
        *name_out = "no-access";
        return st.none;
    default:
        *name_out = "at-edge";
        return st.edge;
    }
}

void create_bo(struct file *file, uint32_t *handle_out, uint32_t size_B)
{
    struct drm_vc4_create_bo args = {.size = size_B};
    line_begin("CREATE_BO", "set-up");
    line_arg("file=%d size=%u", (int)(file - st.files), size_B);
    int err = call(file->fd, DRM_IOCTL_VC4_CREATE_BO, &args);
    line_result(err);
    line_out("handle=%u", args.handle);
    line_end();
    *handle_out = err ? 0 : args.handle;
}

void create_program(struct file *file, uint32_t *handle_out, uint32_t program)
{
    const struct program *p = &programs[program];
    struct drm_vc4_create_shader_bo args = {.size = 8 * p->count, .data = (uintptr_t)p->words};
    line_begin("CREATE_SHADER_BO", "set-up");
    line_arg("file=%d program=%s", (int)(file - st.files), p->name);
    int err = call(file->fd, DRM_IOCTL_VC4_CREATE_SHADER_BO, &args);
    line_result(err);
    line_out("handle=%u", args.handle);
    line_end();
    *handle_out = err ? 0 : args.handle;
}

static void create_syncobj(struct file *file, uint32_t slot, uint32_t flags)
{
    struct drm_syncobj_create args = {.flags = flags};
    line_begin("SYNCOBJ_CREATE", "set-up");
    line_arg("file=%d flags=%x", (int)(file - st.files), flags);
    int err = call(file->fd, DRM_IOCTL_SYNCOBJ_CREATE, &args);
    line_result(err);
    line_out("handle=%u", args.handle);
    line_end();
    file->syncs[slot] = err ? 0 : args.handle;
}

void *map_quietly(struct file *file, uint32_t handle, size_t size_B)
{
    struct drm_vc4_mmap_bo args = {.handle = handle};
    if (call(file->fd, DRM_IOCTL_VC4_MMAP_BO, &args))
        return NULL;
    void *at = mmap(NULL, size_B, PROT_READ | PROT_WRITE, MAP_SHARED, file->fd, (off_t)args.offset);
    return at == MAP_FAILED ? NULL : at;
}

/* -- episodes -- */

/* A triangle over the lower left half of 64 x 64 pixels: screen coordinates in 1/16 px from the centre, then clip
 * coordinates. */
struct vertex {
    float x, y;
    int16_t xs, ys;
};

static void fill_buffers(struct file *file)
{
    static const struct vertex vertices[] = {{-1, -1, -512, -512}, {1, -1, 512, -512}, {-1, 1, -512, 512}};
    static const uint16_t indices[] = {0, 1, 2, 2, 1, 0};
    uint8_t *at = map_quietly(file, file->job[JOB_VERTICES], VERTICES_B);
    if (at) {
        memcpy(at, vertices, sizeof vertices);
        munmap(at, VERTICES_B);
    }
    at = map_quietly(file, file->job[JOB_INDICES], INDICES_B);
    if (at) {
        memcpy(at, indices, sizeof indices);
        munmap(at, INDICES_B);
    }
    uint32_t *texels = map_quietly(file, file->job[JOB_TEXTURE], TEXTURE_B);
    if (texels) {
        for (uint32_t i = 0; i < TEXTURE_B / 4; i++)
            texels[i] = i * 0x01010105u;
        munmap(texels, TEXTURE_B);
    }
}

/* HAZARD: the first call of a file makes a buffer, with which the kernel allocates the binner's memory. Without it a
 * job that bins, with imported buffers only, crashes the kernel. */
static void open_file(struct file *file, const char *node)
{
    static const struct {
        enum job_bo bo;
        uint32_t program;
    } made[] = {{JOB_FS, PROGRAM_FS_COLOR},
                {JOB_VS, PROGRAM_VS},
                {JOB_CS, PROGRAM_CS},
                {JOB_FS_TEXTURE, PROGRAM_FS_TEXTURE},
                {JOB_FS_TEXTURE_4, PROGRAM_FS_TEXTURE_4},
                {JOB_FS_DIRECT, PROGRAM_FS_DIRECT},
                {JOB_FS_THREADED, PROGRAM_FS_THREADED}};
    memset(file, 0, sizeof *file);
    file->fd = open(node, O_RDWR | O_CLOEXEC);
    if (file->fd < 0) {
        fprintf(stderr, "ioctls: %s: %s\n", node, strerror(errno));
        exit(1);
    }
    create_bo(file, &file->job[JOB_VERTICES], VERTICES_B);
    create_bo(file, &file->job[JOB_INDICES], INDICES_B);
    create_bo(file, &file->job[JOB_COLOR], SURFACE_B);
    create_bo(file, &file->job[JOB_ZS], SURFACE_B);
    create_bo(file, &file->job[JOB_TEXTURE], TEXTURE_B);
    for (size_t i = 0; i < COUNT_OF(made); i++)
        create_program(file, &file->job[made[i].bo], made[i].program);
    fill_buffers(file);
}

/* So that not most of the calls find empty slots. */
static void fill_slots(void)
{
    for (uint32_t i = 0; i < FILES; i++) {
        create_syncobj(&st.files[i], 0, 0);
        create_syncobj(&st.files[i], 1, DRM_SYNCOBJ_CREATE_SIGNALED);
    }
    struct file *file = &st.files[0];
    struct drm_prime_handle prime = {.handle = file->job[JOB_COLOR], .flags = DRM_CLOEXEC | DRM_RDWR};
    if (!call(file->fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime))
        st.primes[0] = prime.fd;
    struct drm_syncobj_handle object = {.handle = file->syncs[0]};
    if (!call(file->fd, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &object))
        st.syncobj_fds[0] = object.fd;
    struct drm_syncobj_handle fence = {.handle = file->syncs[1],
                                       .flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE};
    if (!call(file->fd, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &fence))
        st.fences[0] = fence.fd;
}

static void random_call(void)
{
    static const struct {
        uint32_t weight;
        void (*call)(void);
    } kinds[] = {
        {22, random_bo_call},   {14, random_shader_call}, {8, random_map_call},
        {9, random_prime_call}, {18, random_submit_call}, {6, random_wait_call},
        {12, random_sync_call}, {5, random_fence_call},   {8, random_core_call},
    };
    uint32_t total = 0;
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        total += kinds[i].weight;
    uint32_t at = rnd(total), i = 0;
    while (at >= kinds[i].weight)
        at -= kinds[i++].weight;
    kinds[i].call();
}

static void run_episode(uint64_t seed, uint32_t episode, const char *node, uint32_t calls)
{
    rng_start(seed, episode, UINT32_MAX);
    printf("episode %u\n", episode);
    line_episode(episode);
    for (uint32_t i = 0; i < FD_SLOTS; i++)
        st.primes[i] = st.syncobj_fds[i] = st.fences[i] = -1;
    st.has_seqno = st.is_busy = false;
    for (uint32_t i = 0; i < FILES; i++)
        open_file(&st.files[i], node);
    fill_slots();
    for (uint32_t i = 0; i < calls; i++) {
        rng_start(seed, episode, i);
        random_call();
    }
    /* Every second episode ends while a job may run. */
    if (episode % 2)
        quiesce();
    else
        submit_valid(&st.files[0]);
    for (uint32_t i = 0; i < FD_SLOTS; i++) {
        put_fd(&st.primes[i], -1);
        put_fd(&st.syncobj_fds[i], -1);
        put_fd(&st.fences[i], -1);
    }
    for (uint32_t i = 0; i < FILES; i++)
        close(st.files[(i + episode) % FILES].fd);
    line_flush();
}

static void make_addresses(void)
{
    uint8_t *pages = mmap(NULL, 4 * PAGE_B, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) {
        perror("ioctls: mmap");
        exit(1);
    }
    memset(pages + PAGE_B, 'x', PAGE_B);
    st.readable = pages;
    st.edge = pages + 2 * PAGE_B - 1;
    st.none = pages + 2 * PAGE_B;
    mprotect(pages, PAGE_B, PROT_READ);
    mprotect(pages + 2 * PAGE_B, 2 * PAGE_B, PROT_NONE);
}

int main(int argc, char **argv)
{
    const char *node = "/dev/dri/renderD128";
    uint64_t seed = 1;
    uint32_t count = 1000, first = 0;
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (value && !strcmp(argv[i], "--seed"))
            seed = strtoull(value, NULL, 0);
        else if (value && !strcmp(argv[i], "--count"))
            count = (uint32_t)strtoul(value, NULL, 0);
        else if (value && !strcmp(argv[i], "--episode")) /* starts with this one */
            first = (uint32_t)strtoul(value, NULL, 0);
        else if (value && !strcmp(argv[i], "--node"))
            node = value;
        else if (value && !strcmp(argv[i], "--buffer")) /* 0: each line at once */
            setvbuf(stdout, NULL, strtoul(value, NULL, 0) ? _IOFBF : _IOLBF, BUFSIZ);
        else {
            fprintf(stderr,
                    "usage: ioctls [--seed N] [--count CALLS] [--episode FIRST] [--node PATH] [--buffer 0|1]\n");
            return 2;
        }
        i++;
    }
    make_addresses();
    for (uint32_t episode = first; count; episode++) {
        uint32_t calls = count < CALLS_PER_EPISODE ? count : CALLS_PER_EPISODE;
        run_episode(seed, episode, node, calls);
        count -= calls;
    }
    printf("end\n");
    return 0;
}
